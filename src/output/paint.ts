import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Styles a text, or leaves it. */
export type Paint = (style: Style, text: string) => string;

/** @param color whether the output is to be coloured at all */
export function painter(color: boolean): Paint {
  // validateStream would ask stdout whether it is a terminal: that was decided already.
  return color ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}
