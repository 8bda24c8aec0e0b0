import * as z from 'zod';
import { OwnOffer } from './ownOffer.ts';
import { RateLimit } from './usageLimits.ts';

/**
 * What agents send, as loosely as can be lived with: seven agents were seen, and no two fill the same members. A value
 * that does not fit is passed over where it only informs, and refused where an answer hangs on it.
 */
const text = z.string();
const optionalText = text.nullish();

export const TerminalLogin = z.object({
  command: text,
  args: z.array(text).default([]),
  env: z.record(text, text).default({}),
  label: text.optional(),
});
export type TerminalLogin = z.infer<typeof TerminalLogin>;

export const AuthMethod = z.object({
  id: text,
  name: text,
  description: optionalText,
  type: optionalText,
  args: z.array(text).nullish(),
  /** For `env_var`: the variables that it reads. */
  vars: z
    .array(z.object({ name: text }))
    .nullish()
    .catch(null),
  _meta: z.object({ 'terminal-auth': TerminalLogin.optional().catch(undefined) }).nullish(),
});
export type AuthMethod = z.infer<typeof AuthMethod>;

const flag = z.boolean().nullish();
const ability = z.unknown().optional();
export const InitializeResult = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({
      loadSession: flag,
      mcpCapabilities: z.object({ http: flag }).nullish().catch(null),
      promptCapabilities: z.object({ image: flag, audio: flag, embeddedContext: flag }).nullish(),
      sessionCapabilities: z
        .object({
          list: ability,
          delete: ability,
          resume: ability,
          fork: ability,
          close: ability,
          additionalDirectories: ability,
        })
        .nullish(),
    })
    .nullish(),
  agentInfo: z
    .object({ version: text.max(100) })
    .nullish()
    .catch(null),
  authMethods: z.array(AuthMethod).nullish().catch(null),
  _meta: z.object({ steering: z.object({ supported: z.boolean() }).optional().catch(undefined) }).nullish(),
});
export type InitializeResult = z.infer<typeof InitializeResult>;

const SelectValue = z.object({ value: text, name: text, description: optionalText });
const SelectGroup = z.object({ options: z.array(SelectValue) });
export const ConfigOption = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('select'),
    id: text,
    name: text,
    description: optionalText,
    category: optionalText,
    currentValue: text,
    options: z
      .array(z.union([SelectGroup.transform((it) => it.options), SelectValue.transform((it) => [it])]))
      .transform((it) => it.flat()),
  }),
  z.object({
    type: z.literal('boolean'),
    id: text,
    name: text,
    description: optionalText,
    category: optionalText,
    currentValue: z.boolean(),
  }),
]);
export type ConfigOption = z.infer<typeof ConfigOption>;

/** Keeps what fits of a list: an option of a kind that we do not know hides no other. */
function listOf<T>(item: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .nullish()
    .transform((all) => all?.flatMap((it) => item.safeParse(it).data ?? []));
}

export const Modes = z.object({
  currentModeId: text,
  availableModes: z.array(z.object({ id: text, name: text, description: optionalText })),
});
export const Models = z.object({
  currentModelId: text,
  availableModels: z.array(z.object({ modelId: text, name: text })),
});
/** The answer of `session/new`, `session/fork`, `session/load`, and `session/resume`. Only the first two have an ID. */
export const OpenedSession = z.object({
  sessionId: text.optional(),
  modes: Modes.nullish().catch(null),
  models: Models.nullish().catch(null),
  configOptions: listOf(ConfigOption),
  _meta: z
    .object({ switchboard: OwnOffer.optional().catch(undefined) })
    .nullish()
    .catch(null),
});
export type OpenedSession = z.infer<typeof OpenedSession>;
export const ConfigOptions = z.object({ configOptions: listOf(ConfigOption) });

const Block = z.object({
  type: text,
  text: optionalText,
  data: optionalText,
  mimeType: optionalText,
  uri: optionalText,
});
export const ToolContentItem = z.object({
  type: text,
  content: Block.nullish().catch(null),
  path: optionalText,
  oldText: optionalText,
  newText: optionalText,
  terminalId: optionalText,
});
export const ToolCallUpdate = z.object({
  toolCallId: text,
  kind: optionalText,
  status: optionalText,
  title: optionalText,
  name: optionalText,
  content: listOf(ToolContentItem),
  locations: listOf(z.object({ path: text })),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  /** What one widely used adapter says of the calls of its workers. */
  _meta: z
    .object({ claudeCode: z.object({ parentToolUseId: optionalText }).nullish().catch(null) })
    .nullish()
    .catch(null),
});
export type ToolCallUpdate = z.infer<typeof ToolCallUpdate>;

const tokens = z.number().nonnegative();
/** Tokens in the context and how many fit; `cost` is that of the whole session so far. */
export const UsageUpdate = z.object({
  used: tokens,
  size: tokens,
  /** What one widely used adapter says of the limits of its account. */
  _meta: z
    .object({ '_claude/rateLimit': RateLimit.optional().catch(undefined) })
    .nullish()
    .catch(null),
  cost: z
    .object({ amount: z.number().nonnegative(), currency: text.min(1).max(20) })
    .nullish()
    .catch(null),
});
export type UsageUpdate = z.infer<typeof UsageUpdate>;

const named = <K extends string>(kind: K) => z.literal(kind);
export const SessionUpdate = z.discriminatedUnion('sessionUpdate', [
  z.object({ sessionUpdate: named('agent_message_chunk'), content: Block }),
  z.object({ sessionUpdate: named('agent_thought_chunk'), content: Block }),
  ToolCallUpdate.extend({ sessionUpdate: named('tool_call') }),
  ToolCallUpdate.extend({ sessionUpdate: named('tool_call_update') }),
  z.object({
    sessionUpdate: named('plan'),
    entries: z.array(z.object({ content: text, status: text.default('pending') })),
  }),
  z.object({
    sessionUpdate: named('available_commands_update'),
    availableCommands: z.array(z.object({ name: text, description: text.default('') })),
  }),
  z.object({ sessionUpdate: named('current_mode_update'), currentModeId: text }),
  z.object({ sessionUpdate: named('config_option_update'), configOptions: listOf(ConfigOption) }),
  UsageUpdate.extend({ sessionUpdate: named('usage_update') }),
  z.object({ sessionUpdate: named('session_info_update'), title: optionalText }),
  z.object({ sessionUpdate: named('notice'), title: text.min(1), description: optionalText }),
  z.object({
    sessionUpdate: named('compaction_update'),
    compactionId: text,
    status: text,
    /** Replaces the pieces before. Absent: they stay. */
    summary: listOf(Block),
    error: optionalText.catch(null),
  }),
  z.object({ sessionUpdate: named('compaction_summary_chunk'), compactionId: text, content: Block }),
]);
export type SessionUpdate = z.infer<typeof SessionUpdate>;
export const SessionNotification = z.object({ sessionId: text, update: z.unknown().optional() });

/** A person's message, in a conversation that is replayed. */
export const UserMessage = z.object({ sessionUpdate: named('user_message_chunk'), content: Block });
export const SessionList = z.object({
  sessions: listOf(
    z.object({
      sessionId: text.min(1).max(1_000),
      cwd: text,
      title: optionalText.catch(null),
      updatedAt: optionalText.catch(null),
    }),
  ),
  nextCursor: optionalText.catch(null),
});

export const PermissionRequest = z.object({
  sessionId: text,
  toolCall: ToolCallUpdate,
  options: z.array(z.object({ optionId: text, name: text, kind: text })),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export const ReadTextFile = z.object({ path: text, line: z.int().nullish(), limit: z.int().nullish() });
export const WriteTextFile = z.object({ path: text, content: text });

export const CreateTerminal = z.object({
  command: text.min(1),
  args: z.array(text).nullish(),
  /** As POSIX defines names. Anything else would be code instead of a variable. */
  env: z.array(z.object({ name: text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), value: text })).nullish(),
  cwd: optionalText,
  outputByteLimit: z.int().nonnegative().nullish(),
});
export type CreateTerminal = z.infer<typeof CreateTerminal>;
export const TerminalRequest = z.object({ terminalId: text });

const count = z.number().nullish();
export const PromptResult = z.object({
  stopReason: text,
  usage: z.object({ inputTokens: count, outputTokens: count, cachedReadTokens: count }).nullish().catch(null),
});
export type PromptResult = z.infer<typeof PromptResult>;
