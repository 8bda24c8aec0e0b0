import * as z from 'zod';
import { shownText } from '../../platform/shownText.ts';
import type { CloudMeta } from '../../protocol/channels/session/cloudMeta.ts';
import type { CloudImage } from './images.ts';

/** An agent of the cloud-agents service. */
export interface CloudAgent extends CloudMeta {
  readonly id: string;
  readonly name: string;
  /** What it says that it did. */
  readonly summary: string | undefined;
}
export interface CloudMessage {
  readonly id: string;
  readonly isUser: boolean;
  readonly text: string;
}
export interface CloudPrompt {
  readonly text: string;
  readonly images: readonly CloudImage[];
}
/** What a new agent works on. */
export interface Launch {
  readonly prompt: CloudPrompt;
  readonly repository: string;
  /** Branch, tag, or commit. Absent: the repository's default branch. */
  readonly ref: string | undefined;
  readonly autoCreatePr: boolean;
}

export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** It becomes a segment of a path. */
const Id = z
  .string()
  .min(1)
  .max(500)
  .refine((it) => it !== '.' && it !== '..');
const Words = (length: number) =>
  z
    .string()
    .nullish()
    .transform((it) => (it ? shownText(it, length) : undefined));
const WebLink = z
  .string()
  .nullish()
  .transform((it) => (it && isWebAddress(it) ? new URL(it).href : undefined));

const AgentOnWire = z
  .object({
    id: Id,
    name: Words(200),
    status: z.string().transform((it) => shownText(it, 40).toUpperCase()),
    source: z.object({ repository: Words(500), ref: Words(250) }).nullish(),
    target: z.object({ branchName: Words(250), url: WebLink, prUrl: WebLink }).nullish(),
    summary: Words(4_000),
  })
  .transform(
    ({ id, name, status, source, target, summary }): CloudAgent => ({
      id,
      name: name ?? id,
      status,
      ...(source?.repository !== undefined && { repository: source.repository }),
      ...(target?.branchName !== undefined && { branch: target.branchName }),
      ...(target?.url !== undefined && { url: target.url }),
      ...(target?.prUrl !== undefined && { pullRequest: target.prUrl }),
      summary,
    }),
  );
const AgentsOnWire = z.object({ agents: z.array(AgentOnWire) });
const ConversationOnWire = z.object({
  messages: z.array(
    z
      .object({ id: z.string().min(1).max(500), type: z.string(), text: z.string() })
      .transform(({ id, type, text }): CloudMessage => ({ id, isUser: type === 'user_message', text })),
  ),
});

/** @throws {z.ZodError} like the two below */
export const readAgent = (value: unknown): CloudAgent => AgentOnWire.parse(value);
export const readAgents = (value: unknown): readonly CloudAgent[] => AgentsOnWire.parse(value).agents;
export const readMessages = (value: unknown): readonly CloudMessage[] => ConversationOnWire.parse(value).messages;

/** The agent works, and its conversation grows. */
export const isWorking = ({ status }: Pick<CloudAgent, 'status'>): boolean =>
  status === 'CREATING' || status === 'RUNNING';

export const toPrompt = ({ text, images }: CloudPrompt): object => ({ text, ...(images.length > 0 && { images }) });
export const toLaunch = ({ prompt, repository, ref, autoCreatePr }: Launch): object => ({
  prompt: toPrompt(prompt),
  source: { repository, ...(ref !== undefined && { ref }) },
  target: { autoCreatePr },
});
