/** Takes the symbols and debug information off an ELF binary: a quarter of Node's, and nothing that runs reads them. */

const MAGIC = 0x7f454c46;
/** Offsets in the header of 64-bit ELF, little endian (elf.h Elf64_Ehdr, Elf64_Phdr). */
const E_PHOFF = 0x20;
const E_SHOFF = 0x28;
const E_PHENTSIZE = 0x36;
const E_PHNUM = 0x38;
const E_SHNUM = 0x3c;
const E_SHSTRNDX = 0x3e;
const P_OFFSET = 0x08;
const P_FILESZ = 0x20;

export function isElf(file: Buffer): boolean {
  return file.length > 64 && file.readUInt32BE(0) === MAGIC;
}

/**
 * The bytes up to the end of the last segment: what a kernel maps is kept as it is, the table of sections and what only
 * it points to goes.
 * @param file 64-bit, little endian; it is changed
 */
export function trimElf(file: Buffer): Buffer {
  const start = Number(file.readBigUInt64LE(E_PHOFF));
  const size = file.readUInt16LE(E_PHENTSIZE);
  let end = 0;
  for (let index = 0; index < file.readUInt16LE(E_PHNUM); index += 1) {
    const segment = start + index * size;
    const last = file.readBigUInt64LE(segment + P_OFFSET) + file.readBigUInt64LE(segment + P_FILESZ);
    end = Math.max(end, Number(last));
  }
  file.writeBigUInt64LE(0n, E_SHOFF);
  file.writeUInt16LE(0, E_SHNUM);
  file.writeUInt16LE(0, E_SHSTRNDX);
  return file.subarray(0, end);
}
