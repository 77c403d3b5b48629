/** What kind of machine a program is for, read from its own first bytes, as file(1) does. */

/** @param program the start of the file, 32 KiB of it @returns such as "linux/amd64"; what it saw where it knows none */
export function machineOf(program: Buffer): string {
  if (program.readUInt32BE(0) === 0x7f454c46) return `linux/${ELF[program.readUInt16LE(18)]}`;
  if (program.readUInt32LE(0) === 0xfeedfacf) return `darwin/${MACH_O[program.readUInt32LE(4)]}`;
  const pe = program.readUInt32LE(0x3c);
  if (program.toString('latin1', 0, 2) === 'MZ' && program.toString('latin1', pe, pe + 4) === 'PE\0\0') {
    return `windows/${PE[program.readUInt16LE(pe + 4)]}`;
  }
  return `no program: ${program.toString('hex', 0, 8)}`;
}

/** e_machine (elf.h), cputype (mach/machine.h), Machine (winnt.h). */
const ELF: Readonly<Record<number, string>> = { 62: 'amd64', 183: 'arm64' };
const MACH_O: Readonly<Record<number, string>> = { 0x01000007: 'amd64', 0x0100000c: 'arm64' };
const PE: Readonly<Record<number, string>> = { 0x8664: 'amd64', 0xaa64: 'arm64' };

/** Whether a Mach-O program carries a signature: LC_CODE_SIGNATURE among its load commands (mach-o/loader.h). */
export function isSigned(program: Buffer): boolean {
  let offset = 32;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    if (program.readUInt32LE(offset) === 0x1d) return true;
    offset += program.readUInt32LE(offset + 4);
  }
  return false;
}
