/** `make screen`: draws docs/screen.svg again. */
import { writeFile } from 'node:fs/promises';
import { screenLines, toSvg } from './support/screen.ts';

await writeFile(new URL('../docs/screen.svg', import.meta.url), toSvg(await screenLines()));
