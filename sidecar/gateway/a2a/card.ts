import { isRecord } from '../../platform/isRecord.ts';
import { shownText } from '../../platform/shownText.ts';
import { type BindingName, bindingOf } from './bindings.ts';

type Json = Readonly<Record<string, unknown>>;

/** What we write ourselves, in every spelling that some reader takes: what stood there must not survive. */
const replaced: ReadonlySet<string> = new Set([
  'url',
  'preferredTransport',
  'preferred_transport',
  'additionalInterfaces',
  'additional_interfaces',
  'supportedInterfaces',
  'supported_interfaces',
  'security',
  'securitySchemes',
  'security_schemes',
  'securityRequirements',
  'security_requirements',
  'signatures',
]);
/** What a skill asks for by the name of a scheme that is gone. */
const droppedOfSkill: ReadonlySet<string> = new Set(['security', 'securityRequirements', 'security_requirements']);

/** The one way to sign in at the gateway, in both styles. */
const scheme = 'gateway';
const description = 'A gateway virtual key.';

export interface RewriteOptions {
  /** Whether the gateway relays HTTP+JSON to an address in the card. Default: to none. */
  readonly isReached?: (url: unknown) => boolean;
  /** The card came over HTTP+JSON, where that of A2A 0.3 is protobuf's JSON. */
  readonly isProtobuf?: boolean;
}

/**
 * An agent's card as its callers may see it, in the style it came in: every address is the gateway's, bindings that the
 * gateway does not relay and addresses that it does not call are removed, callers authenticate at the gateway, and signatures,
 * which no longer fit, are removed. Texts that people and models read have no invisible characters and a bounded length.
 *
 * @param address `{base}/a2a/{agent}`
 */
export function rewriteCard(card: Json, address: string, options: RewriteOptions = {}): Json {
  const { isReached = () => false, isProtobuf = false } = options;
  const places = { address, isReached };
  const isModern = Array.isArray(card['supportedInterfaces']) || Array.isArray(card['supported_interfaces']);
  const isLegacy = !isModern || typeof card['url'] === 'string';
  const kept = clean(without(card, replaced));
  const { additionalInterfaces, supportedInterfaces } = card;
  const { skills } = kept;
  return {
    ...kept,
    ...(Array.isArray(skills) && { skills: skills.map((it) => (isRecord(it) ? without(it, droppedOfSkill) : it)) }),
    securitySchemes: { [scheme]: { ...(isLegacy && legacyScheme), ...((isModern || isProtobuf) && modernScheme) } },
    ...(isLegacy && { url: address, preferredTransport: preferred(card, isReached), security: legacySecurity(card) }),
    ...(Array.isArray(additionalInterfaces) && {
      additionalInterfaces: rewriteInterfaces(additionalInterfaces, 'transport', places),
    }),
    ...(isModern && {
      supportedInterfaces: modernInterfaces(supportedInterfaces ?? card['supported_interfaces'], places),
      securityRequirements: [{ schemes: { [scheme]: { list: [] } } }],
    }),
  };
}

/** Members that are read, at any depth: in lists, each member. */
const words: ReadonlySet<string> = new Set(['name', 'description', 'title', 'organization', 'tags', 'examples']);

const clean = (card: Json): Json =>
  Object.fromEntries(
    // What an extension is given is for programs.
    Object.entries(card).map(([name, it]) => [name, name === 'params' ? it : cleanMember(it, words.has(name))]),
  );

function cleanMember(value: unknown, isRead: boolean): unknown {
  if (typeof value === 'string') return isRead ? shownText(value) : value;
  if (Array.isArray(value)) return value.map((it) => cleanMember(it, isRead));
  return isRecord(value) ? clean(value) : value;
}

/** In the style of the card: protobuf's JSON has a member around the schemes. */
function legacySecurity({ security }: Json): readonly Json[] {
  const isProtobuf = Array.isArray(security) && security.filter(isRecord).some((it) => isRecord(it['schemes']));
  return [isProtobuf ? { schemes: { [scheme]: { list: [] } } } : { [scheme]: [] }];
}

const legacyScheme = { type: 'http', scheme: 'bearer', description };
const modernScheme = { httpAuthSecurityScheme: { scheme: 'Bearer', description } };

/**
 * A card of A2A 1.0 has addresses in its interfaces alone, so one of them always stays: the registered address speaks
 * JSON-RPC.
 */
function modernInterfaces(interfaces: unknown, places: Places): readonly Json[] {
  const rewritten = rewriteInterfaces(Array.isArray(interfaces) ? interfaces : [], 'protocolBinding', places);
  if (rewritten.length > 0) return rewritten;
  return [{ url: places.address, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
}

interface Places {
  readonly address: string;
  readonly isReached: (url: unknown) => boolean;
}

/** The binding at the first address of a 0.3 card: the agent's own, or else the first one that the gateway relays. */
function preferred(
  { url, preferredTransport = 'JSONRPC', additionalInterfaces }: Json,
  isReached: Places['isReached'],
): BindingName {
  const others = Array.isArray(additionalInterfaces) ? additionalInterfaces.filter(isRecord) : [];
  const all = [{ transport: preferredTransport, url }, ...others];
  const relayed = all.map((it) => ({ binding: bindingOf(it['transport']), url: it['url'] }));
  return relayed.find((it) => it.binding === 'JSONRPC' || (it.binding && isReached(it.url)))?.binding ?? 'JSONRPC';
}

function rewriteInterfaces(
  interfaces: readonly unknown[],
  named: 'transport' | 'protocolBinding',
  { address, isReached }: Places,
): readonly Json[] {
  const relayed = interfaces.filter(isRecord).filter((it) => {
    const binding = bindingOf(it[named]);
    return binding === 'JSONRPC' || (binding === 'HTTP+JSON' && isReached(it['url']));
  });
  const rewritten = relayed.map((it) => ({ ...it, url: address }));
  const seen = new Set<string>();
  return rewritten.filter((it) => {
    const text = JSON.stringify(it);
    return !seen.has(text) && seen.add(text);
  });
}

const without = (object: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/** Where callers reach an agent. By its id, which stays what it is when the agent gets another name. */
export const cardAddress = (baseUrl: string, agentId: string): string =>
  `${baseUrl}/a2a/${encodeURIComponent(agentId)}`;

/** Whether a value can be a card at all: it says who it is. */
export const isCard = (value: unknown): value is Json => isRecord(value) && typeof value['name'] === 'string';
