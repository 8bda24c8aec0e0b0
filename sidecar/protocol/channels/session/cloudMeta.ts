import * as z from 'zod';

/** In the `_meta` of a session, and of its summary, whose agent is an agent of a cloud-agents service. */
export const CLOUD_META = 'cloud';

/** What the service last said about the agent. Links are absolute addresses of the web. */
export const CloudMeta = z.object({
  /** In the service's words: `CREATING`, `RUNNING`, `FINISHED`, `ERROR`, `EXPIRED`, or another one. */
  status: z.string(),
  repository: z.string().optional(),
  /** The branch with its changes. */
  branch: z.string().optional(),
  /** The service's own page of the agent. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  pullRequest: z.url({ protocol: /^https?$/ }).optional(),
});
export type CloudMeta = Readonly<z.infer<typeof CloudMeta>>;

/** @returns `undefined` for a session of another kind */
export function cloudOf(meta: Readonly<Record<string, unknown>> | undefined): CloudMeta | undefined {
  return CloudMeta.safeParse(meta?.[CLOUD_META]).data;
}
