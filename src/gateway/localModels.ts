import * as z from 'zod';

/** A local model server and the models that it has. */
export interface LocalServer {
  /** The provider in names of models: `ollama/…`. */
  readonly provider: 'ollama' | 'lm_studio' | 'openai_compatible';
  readonly name: string;
  /** Of its OpenAI-compatible API, without a trailing slash. */
  readonly url: string;
  readonly models: readonly string[];
}
interface LocalAddress extends Omit<LocalServer, 'models'> {
  /** What the server states as the owner of its models, where other programs use the same port. Absent: anything. */
  readonly owner?: string;
}

/** The list of models of an OpenAI-compatible API. */
const ModelList = z.object({
  data: z.array(z.object({ id: z.string().min(1).max(200), owned_by: z.unknown().optional() })).max(1_000),
});
const MOST_BYTES = 1_000_000;
const TIMEOUT_MS = 1_000;

/**
 * Where local model servers listen.
 *
 * @param env Ollama takes its address from `OLLAMA_HOST`; only one on this machine is used
 */
export function localAddresses(env: Readonly<Record<string, string | undefined>>): readonly LocalAddress[] {
  const ollama = hostOnThisMachine(env['OLLAMA_HOST']) ?? '127.0.0.1:11434';
  return [
    { provider: 'ollama', name: 'Ollama', url: `http://${ollama}/v1` },
    { provider: 'lm_studio', name: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
    { provider: 'openai_compatible', name: 'llama.cpp', url: 'http://127.0.0.1:8080/v1', owner: 'llamacpp' },
  ];
}

function hostOnThisMachine(value: string | undefined): string | undefined {
  const [, host, port = ':11434'] = /^(?:http:\/\/)?(127\.0\.0\.1|localhost)(:\d{1,5})?\/?$/.exec(value ?? '') ?? [];
  return host === undefined ? undefined : `127.0.0.1${port}`;
}

/** The servers that respond within a second and have a model for chats. */
export async function findLocalServers(addresses: readonly LocalAddress[]): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    addresses.map(async ({ owner, ...it }) => ({ ...it, models: await modelsAt(it.url, owner) })),
  );
  return found.filter((it) => it.models.length > 0);
}

/** Empty if nothing listens there, or another program does. */
async function modelsAt(url: string, owner: string | undefined): Promise<readonly string[]> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${url}/models`, { redirect: 'error', signal });
    if (!response.ok) return [];
    const read = ModelList.safeParse(JSON.parse(await limitedText(response)));
    const own = (read.data?.data ?? []).filter((it) => owner === undefined || it.owned_by === owner);
    // Embedding models cannot chat.
    return own.map((it) => it.id).filter((it) => !/embed/i.test(it));
  } catch {
    return [];
  }
}

async function limitedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.byteLength;
    if (length > MOST_BYTES) throw new Error('The response is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
