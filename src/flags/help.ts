/** The commands that tell about the others. */
import type { CommandForm } from './form.ts';

export const HELP: CommandForm = {
  name: 'help',
  usage: '[COMMAND]',
  words: ['command'],
  mostWords: 1,
  short: 'Show the help of a command',
  long: [],
  examples: [{ comment: 'Show what check takes', line: 'kubectl vc-pvc help check' }],
  options: {},
};

export const OPTIONS: CommandForm = {
  name: 'options',
  usage: '',
  words: [],
  mostWords: 0,
  short: 'List the options that every command takes',
  long: [],
  examples: [{ comment: 'List the options that lead to the super cluster', line: 'kubectl vc-pvc options' }],
  options: {},
};
