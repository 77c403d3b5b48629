/** `__complete`: the protocol of github.com/spf13/cobra completions.go, which kubectl speaks to plugins and to shells. */
import { NOTHING, answerTo } from '../completion/candidates.ts';
import { answerLines } from '../completion/lines.ts';
import { completionRequest } from '../completion/request.ts';
import type { CompletionRequest } from '../completion/request.ts';
import { Deadline } from '../fleet/deadline.ts';
import { CONNECTION_OPTIONS } from '../flags/connection.ts';
import type { CommandForm } from '../flags/form.ts';
import { scopeOf } from '../flags/scope.ts';
import type { Surroundings } from './check.ts';
import { fleetSource } from './fleet-source.ts';
import type { FleetSource } from './source.ts';

/** Whoever pressed TAB waits for it. Milliseconds. */
const LIMIT = 3_000;

/**
 * Prints what may stand at the end of a command line. Nobody wants an error while typing: what fails offers nothing.
 * @param words without "kubectl vc-pvc"; the last one is being typed
 * @returns the exit code, always 0: after any other kubectl would offer file names
 */
export async function complete(
  words: readonly string[],
  commands: readonly CommandForm[],
  { stdout, environment, signal }: Surroundings,
): Promise<number> {
  const deadline = new Deadline(LIMIT, signal);
  const answering = async () => {
    const request = completionRequest(words, commands, CONNECTION_OPTIONS);
    return answerTo(request, commands, async () => {
      // Imported only here: what needs no cluster is there at once.
      const { liveLookups } = await import('../completion/live-lookups.ts');
      return liveLookups(request, sourceOf(request), environment, deadline);
    });
  };
  const answer = await deadline.bound(answering()).catch(() => NOTHING);
  deadline.clear();
  stdout.write(answerLines(answer));
  return 0;
}

/** With pvc/CLAIM, -n is the namespace of the claim and not of the VirtualClusters. */
function sourceOf({ argv, typed }: CompletionRequest): FleetSource {
  return fleetSource(argv, /^(pvc|persistentvolumeclaims?)\//.test(typed) ? null : scopeOf(argv).namespace);
}
