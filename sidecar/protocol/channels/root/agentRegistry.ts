import * as z from 'zod';

/** How an agent of the registry gets onto this machine: with npm, as an archive, or with uv. */
export const AgentKind = z.enum(['npm', 'binary', 'uv']);
export type AgentKind = z.infer<typeof AgentKind>;

export const InstalledAgentInfo = z.object({
  version: z.string(),
  kind: AgentKind,
  /** RFC 3339, UTC. */
  installedAt: z.string(),
  /** Absolute, for a person. */
  folder: z.string(),
  sizeBytes: z.number(),
  /** `name@version` of the packages whose install scripts did not run. */
  scripts: z.array(z.string()),
});
export type InstalledAgentInfo = z.infer<typeof InstalledAgentInfo>;

/** An entry of the registry as it concerns this machine, or an agent that was installed from one that is no longer there. */
export const RegistryAgent = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  description: z.string(),
  authors: z.array(z.string()),
  license: z.string().exactOptional(),
  /** A `data:` URI of an SVG. */
  icon: z.string().exactOptional(),
  /** How the registry says that it is started, as one line. */
  command: z.string(),
  /** How it would be installed here. Absent: it cannot be, for the reason in `blocked`. */
  kind: AgentKind.exactOptional(),
  blocked: z.enum(['npmMissing', 'uvMissing', 'platform', 'unlisted']).exactOptional(),
  installed: InstalledAgentInfo.exactOptional(),
  canUpdate: z.boolean(),
  /** An agent of the settings has the same ID, and is the one that windows get. */
  isShadowed: z.boolean(),
});
export type RegistryAgent = z.infer<typeof RegistryAgent>;

export const RegistryAnswer = z.object({
  items: z.array(RegistryAgent),
  /** Entries that were not understood, each with the reason. */
  leftOut: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** Where the list comes from: the address, what was kept of it, or this product. */
  origin: z.enum(['fetched', 'kept', 'shipped']),
  address: z.string(),
  /** When the list was fetched, or put into this product. */
  date: z.string(),
  /** Why it could not be fetched now. */
  problem: z.string().exactOptional(),
});
export type RegistryAnswer = z.infer<typeof RegistryAnswer>;

/** What exactly would be done, for a person to confirm. */
export const AgentOffer = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  kind: AgentKind,
  /** The commands that run for it, or the address that is downloaded; each as a line. */
  steps: z.array(z.string()),
  /** How the agent is started from then on. */
  command: z.string(),
  /** The address that it comes from. */
  source: z.string(),
  /** Absolute. */
  folder: z.string(),
  /** Of the agent without what it depends on. Absent: nobody says. */
  sizeBytes: z.number().exactOptional(),
  /** What was published, and must be what arrives. Absent: only what arrived is known, from then on. */
  hash: z.string().exactOptional(),
  /** Names of the variables of the environment that the agent gets besides the plain ones. */
  variables: z.array(z.string()),
  /** Names this offer when it is taken: another one that took its place is not what was confirmed. */
  token: z.string(),
});
export type AgentOffer = z.infer<typeof AgentOffer>;

/** `message` of `root/progress` while an agent is installed. */
export const InstallPhase = z.enum(['download', 'unpack', 'install', 'scripts', 'verify']);
export type InstallPhase = z.infer<typeof InstallPhase>;
