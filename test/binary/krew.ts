/** krew itself, with a root of its own, as a user has it: found by the real kubectl on PATH. */
import { copyFile, mkdir, mkdtemp, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { binaries } from '../control-plane/build.ts';
import { goBuild } from '../control-plane/go-build.ts';
import { runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

export class Krew {
  /** Holds kubectl, kubectl-krew and nothing else. */
  readonly tools: string;
  readonly #checker: string;
  readonly #directory: string;

  private constructor(directory: string, tools: string, checker: string) {
    this.#directory = directory;
    this.tools = tools;
    this.#checker = checker;
  }

  /** @param directory an empty one, for everything that krew writes */
  static async at(directory: string): Promise<Krew> {
    const built = await goBuild({
      name: 'krew',
      module: new URL('./krew-module/', import.meta.url),
      packages: ['krew', 'validate-krew-manifest'].map((name) => `sigs.k8s.io/krew/cmd/${name}`),
      ldflags: '-s -w',
    });
    const tools = join(directory, 'tools');
    await mkdir(tools);
    await symlink((await binaries()).kubectl, join(tools, 'kubectl'));
    await copyFile(join(built, 'krew'), join(tools, 'kubectl-krew'));
    return new Krew(directory, tools, join(built, 'validate-krew-manifest'));
  }

  /** `kubectl krew install --manifest --archive` for a platform, into a new root. */
  async install(manifest: string, archive: string, os: string, arch: string): Promise<Installation> {
    const root = await mkdtemp(join(this.#directory, 'root-'));
    const finished = await runProcess(
      join(this.tools, 'kubectl'),
      ['krew', 'install', `--manifest=${manifest}`, `--archive=${archive}`],
      { PATH: this.tools, KREW_ROOT: root, KREW_OS: os, KREW_ARCH: arch },
    );
    return { ...finished, bin: join(root, 'bin') };
  }

  /** The checker of krew's index; it downloads and installs every platform of the manifest. */
  validate(manifest: string): Promise<Finished> {
    return runProcess(this.#checker, ['-manifest', manifest], { PATH: this.tools });
  }
}

export interface Installation extends Finished {
  /** What a user has on PATH. */
  readonly bin: string;
}

/** The installed program that the link of krew's leads to. */
export function installedProgram({ bin }: Installation): Promise<string> {
  return readlink(join(bin, 'kubectl-vc_pvc'));
}
