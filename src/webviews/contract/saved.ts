import * as z from 'zod';
import type { RestoreState } from './chatModel.ts';

const text = z.string().max(2000).exactOptional();
const Saved = z.object({
  restore: z
    .object({
      session: z.string().startsWith('host-session:/').max(200).exactOptional(),
      chat: text,
      host: text,
      provider: text,
      folder: text,
      model: text,
      customAgent: text,
      modelConfig: z
        .record(z.string(), z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]))
        .exactOptional(),
      attachments: z.array(z.unknown()).max(100).exactOptional(),
    })
    .exactOptional(),
});

/**
 * What a page kept over a reload. The page is untrusted: what does not fit counts as nothing kept. Values of the session are
 * left out: a mode in which the agent decides by itself is chosen by a click, not remembered (`host.mode.not-inherited`).
 */
export function parseSaved(state: unknown): RestoreState {
  const parsed = Saved.safeParse(state);
  return parsed.success ? (parsed.data.restore ?? {}) : {};
}
