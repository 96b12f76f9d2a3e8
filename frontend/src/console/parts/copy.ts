// A text to the clipboard, and whether it came there.

import { common as t } from '../words';
import { say } from './toast.svelte';

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t.copied);
  } catch {
    say(t.cannotCopy, 'wrong');
  }
}
