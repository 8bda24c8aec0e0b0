import * as z from 'zod';

/** What a command can read and write. Paths are absolute. */
export const FileRules = z.strictObject({
  writes: z.array(z.string()),
  /** Within `writes`, and only readable. */
  protects: z.array(z.string()),
  /** Not readable. */
  hidden: z.array(z.string()),
  /** Within `hidden`, and readable. */
  shown: z.array(z.string()),
});
export type FileRules = z.infer<typeof FileRules>;

/** One line each, from the host to the process that owns the sandbox of a session. */
export const ToOwner = z.discriminatedUnion('kind', [
  /** `line` is a line for a shell. */
  z.strictObject({ kind: z.literal('wrap'), id: z.number(), line: z.string(), shell: z.string(), files: FileRules }),
  z.strictObject({ kind: z.literal('answer'), id: z.number(), allow: z.boolean(), reason: z.string().exactOptional() }),
]);
export type ToOwner = z.infer<typeof ToOwner>;

/** Why a sandbox cannot start. */
export const Obstacle = z.enum(['system', 'programs', 'processor', 'namespaces']);
export type Obstacle = z.infer<typeof Obstacle>;

/** One line each, from the owner to the host. */
export const FromOwner = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** `detail`: the missing programs, or the system's error message. */
  z.strictObject({ kind: z.literal('failed'), obstacle: Obstacle, detail: z.string() }),
  z.strictObject({ kind: z.literal('wrapped'), id: z.number(), command: z.array(z.string()).min(1) }),
  z.strictObject({ kind: z.literal('unwrapped'), id: z.number(), detail: z.string() }),
  /** A program in the sandbox connects to a host. */
  z.strictObject({ kind: z.literal('asks'), id: z.number(), host: z.string(), port: z.number() }),
]);
export type FromOwner = z.infer<typeof FromOwner>;
