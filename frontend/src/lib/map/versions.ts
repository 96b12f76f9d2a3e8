// Versions of the seats' states: `epoch-number`. Within an epoch numbers grow. Another epoch comes from another server
// process: its deltas are applied as they come, until the states have been read again.

export type Verdict = 'take' | 'skip' | 'reread';

export function judge(mine: string, theirs: string): Verdict {
  const [myEpoch, myNumber] = split(mine);
  const [theirEpoch, theirNumber] = split(theirs);
  if (!mine || myEpoch !== theirEpoch) return 'reread';
  return theirNumber > myNumber ? 'take' : 'skip';
}

function split(version: string): [string, number] {
  const at = version.lastIndexOf('-');
  return [version.slice(0, at), Number(version.slice(at + 1))];
}
