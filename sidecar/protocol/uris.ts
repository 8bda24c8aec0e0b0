/** The channel of connection-level methods and of what all clients share. */
export const ROOT = 'host-root://';

export const schemes = {
  root: 'host-root',
  session: 'host-session',
  chat: 'host-chat',
  changeset: 'host-changeset',
  terminal: 'host-terminal',
  resourceWatch: 'host-resource-watch',
  content: 'host-content',
  telemetry: 'host-otlp',
} as const;

/** @param uuid minted by whoever creates the session */
export function sessionUri(uuid: string): string {
  return `${schemes.session}:/${uuid}`;
}
export function chatUri(uuid: string): string {
  return `${schemes.chat}:/${uuid}`;
}
/** The changeset of the whole session. */
export function sessionChangesetUri(sessionUuid: string): string {
  return `${schemes.changeset}:/${sessionUuid}/session`;
}
export function turnChangesetUri(sessionUuid: string, turnId: string): string {
  return `${schemes.changeset}:/${sessionUuid}/turn/${encodeURIComponent(turnId)}`;
}
/** What the catalogue advertises for {@link turnChangesetUri}; expand it with {@link expandTemplate}. */
export function turnChangesetTemplate(sessionUuid: string): string {
  return `${schemes.changeset}:/${sessionUuid}/turn/{turnId}`;
}
/** What the folders of the session hold and git has not. */
export function uncommittedChangesetUri(sessionUuid: string): string {
  return `${schemes.changeset}:/${sessionUuid}/uncommitted`;
}
/** From the end of one turn to the end of another. */
export function compareTurnsTemplate(sessionUuid: string): string {
  return `${schemes.changeset}:/${sessionUuid}/compare/{originalTurnId}/{modifiedTurnId}`;
}
/** @param fileName for people only; may be any text */
export function contentUri(sha256: string, fileName: string): string {
  return `${schemes.content}:/${sha256}/${encodeURIComponent(fileName)}`;
}

/**
 * Text that can name something: of characters that are printed, and not too long. Control characters and halves of pairs come
 * back from a database or an address as something else.
 */
export function isName(text: string): boolean {
  return text.length <= 1_000 && /^[^\p{Cc}\p{Cs}]+$/u.test(text);
}

/** The uuid, or `undefined` for any other URI (a channel below the session is another one). */
export function parseSessionUri(uri: string): string | undefined {
  return isName(uri) ? /^host-session:\/([^/]+)$/.exec(uri)?.[1] : undefined;
}
/** The remarks on what a session did. */
export function annotationsUri(session: string): string {
  return `${session}/annotations`;
}
/** The session of such a channel. */
export function parseAnnotationsUri(uri: string): string | undefined {
  const session = uri.endsWith('/annotations') ? uri.slice(0, -'/annotations'.length) : undefined;
  return session !== undefined && parseSessionUri(session) !== undefined ? session : undefined;
}
export function parseChatUri(uri: string): string | undefined {
  return isName(uri) ? /^host-chat:\/([^/]+)$/.exec(uri)?.[1] : undefined;
}
/** Without `turnId`: the changeset of the whole session. */
export function parseChangesetUri(uri: string): { readonly sessionUuid: string; readonly turnId?: string } | undefined {
  const found = /^host-changeset:\/([^/]+)\/(?:session|turn\/([^/]+))$/.exec(uri);
  if (!found?.[1]) return undefined;
  if (found[2] === undefined) return { sessionUuid: found[1] };
  const turnId = decode(found[2]);
  return turnId === undefined ? undefined : { sessionUuid: found[1], turnId };
}
export type ChangesView =
  | { readonly sessionUuid: string; readonly kind: 'uncommitted' }
  | { readonly sessionUuid: string; readonly kind: 'compare'; readonly original: string; readonly modified: string };
/** The changesets that are made when somebody looks at them. */
export function parseChangesView(uri: string): ChangesView | undefined {
  const found = /^host-changeset:\/([^/]+)\/(?:uncommitted|compare\/([^/]+)\/([^/]+))$/.exec(uri);
  const sessionUuid = found?.[1];
  if (sessionUuid === undefined) return undefined;
  if (found?.[2] === undefined || found[3] === undefined) return { sessionUuid, kind: 'uncommitted' };
  const [original, modified] = [decode(found[2]), decode(found[3])];
  if (original === undefined || modified === undefined) return undefined;
  return { sessionUuid, kind: 'compare', original, modified };
}
export function parseContentUri(uri: string): { readonly sha256: string; readonly fileName: string } | undefined {
  const found = /^host-content:\/([0-9a-f]{64})\/([^/]*)$/.exec(uri);
  const fileName = found && decode(found[2] ?? '');
  return found?.[1] === undefined || typeof fileName !== 'string' ? undefined : { sha256: found[1], fileName };
}

const VARIABLE = /\{([^{}]*)\}/g;

/** The names in `template`, in order: `['turnId']`. */
export function templateVariables(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map((it) => it[1] ?? '');
}

/**
 * Expands RFC 6570 templates, simple `{name}` only. `undefined` when a variable has no value: readers skip such an
 * entry.
 */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string | undefined {
  if (templateVariables(template).some((name) => !Object.hasOwn(values, name))) return undefined;
  return template.replace(VARIABLE, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a lone `%`: no URI of ours
  }
}
