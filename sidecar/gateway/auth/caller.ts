import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import type {
  EndUserRecord,
  OrganizationRecord,
  ProviderIdentity,
  TeamRecord,
  UserRecord,
} from '../../protocol/gateway/people.ts';
import type { CallTrace } from './callTrace.ts';
import type { GroupRights } from './pageCaller.ts';
import type { Progress } from './progress.ts';

/** What a key stands for: read once and kept until one of its records changes. No secret inside. */
export interface Holder {
  readonly key: KeyRecord;
  /** May do everything on the management routes; permissions are not asked where its key says nothing. */
  readonly isAdmin: boolean;
  readonly team: TeamRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
  readonly user: UserRecord | undefined;
  /** The agent that owns the key. */
  readonly owner: AgentRecord | undefined;
  /** Of a person who signed in to the pages with an identity provider. Their `key` stands for none. */
  readonly groupRights?: GroupRights;
  /** Whom the issuer of a signed token (JWT) vouches for. Their `key` is stored nowhere. */
  readonly vouchedFor?: ProviderIdentity;
}

/** Who is knocking, resolved. */
export interface Caller extends Holder {
  readonly traceId: string | undefined;
  readonly sessionId: string | undefined;
  readonly tags: readonly string[];
  /** Debug headers are wanted, and this key may have them. */
  readonly debug: boolean;
  /** They are wanted, and this key may not have them. */
  readonly isDebugRefused: boolean;
  /** Servers that the request is limited to; `[]` where the header is there and names none. */
  readonly mcpServers: readonly string[] | undefined;
  /** Access groups that the request is limited to; both together name what is wanted. */
  readonly mcpAccessGroups: readonly string[] | undefined;
  readonly endUser: EndUserRecord | undefined;
  /** The end user's id as it was said; a record may not exist yet. */
  readonly endUserId: string | undefined;
  /** The agent on whose behalf the call is made: the key's, else the one that the caller named. */
  readonly agent: AgentRecord | undefined;
}

/** One request, judged: what every surface gets. */
export interface CallContext {
  readonly caller: Caller;
  readonly requestId: string;
  /** As callers reach us, without a slash at its end. */
  readonly baseUrl: string;
  /** Lower-case names; credentials and internal headers are gone. */
  readonly headers: ReadonlyMap<string, string>;
  /** The caller's own bearer token, when it is not the virtual key. */
  readonly bearer: string | undefined;
  /** Whether a text holds the key that this call came with. */
  readonly holdsKey: (text: string) => boolean;
  /** Where the request came from; of the nearest hop that no trusted proxy vouches for. */
  readonly clientAddress: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Absent where no traces are exported. */
  readonly trace?: CallTrace | undefined;
}

/** Whose stored tokens a call uses: the user of the key, else the key, which keeps its id when it is rotated. */
export const userOf = ({ caller }: Pick<CallContext, 'caller'>): string =>
  caller.key.user_id ?? `key:${caller.key.token_id}`;
