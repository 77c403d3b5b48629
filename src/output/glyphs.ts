/** The characters that a diagram and its texts are drawn with. */
export interface Glyphs {
  readonly horizontal: string;
  readonly vertical: string;
  /** Of a link that is not there yet. */
  readonly dotted: string;
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomLeft: string;
  readonly bottomRight: string;
  /** Where a link leaves a box downwards, and where it enters one from above. */
  readonly down: string;
  readonly up: string;
  /** Where a link leaves a box to the right, and where it enters one from the left. */
  readonly right: string;
  readonly left: string;
  readonly broken: string;
  readonly fine: string;
  readonly neutral: string;
  /** Of what is no fault, and not in order either. */
  readonly notable: string;
}

export const BOX_DRAWING: Glyphs = {
  horizontal: '─',
  vertical: '│',
  dotted: '·',
  topLeft: '┌',
  topRight: '┐',
  bottomLeft: '└',
  bottomRight: '┘',
  down: '┬',
  up: '┴',
  right: '├',
  left: '┤',
  broken: '✗',
  fine: '✓',
  neutral: '·',
  notable: '!',
};

export const ASCII: Glyphs = {
  horizontal: '-',
  vertical: '|',
  dotted: '.',
  topLeft: '+',
  topRight: '+',
  bottomLeft: '+',
  bottomRight: '+',
  down: '+',
  up: '+',
  right: '+',
  left: '+',
  broken: 'X',
  fine: '=',
  neutral: '-',
  notable: '!',
};
