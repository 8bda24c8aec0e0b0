import * as z from 'zod';
import type { Completion } from './completion.ts';
import { type ConfigLanguage, openConfigLanguage } from './configLanguage.ts';
import { type GatewayFacts, noFacts } from './facts.ts';
import { Lines } from './lines.ts';

const Position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
const Uri = z.object({ uri: z.string().min(1).max(8192) });
const Open = z.object({ textDocument: Uri.extend({ version: z.int(), text: z.string() }) });
/** Whole texts: the server declares that it takes no others. */
const Change = z.object({
  textDocument: Uri.extend({ version: z.int().nullish() }),
  contentChanges: z.array(z.object({ text: z.string() })).min(1),
});
const Close = z.object({ textDocument: Uri });
const At = z.object({ textDocument: Uri, position: Position });

/** Documents that one editor may have open. */
const MAX_DOCUMENTS = 64;

/** The methods of the Language Server Protocol that are served, for one connection. Other documents are not ours to judge. */
export interface DocumentSession {
  /** `textDocument/didOpen`, `didChange`, `didClose`. What is malformed is ignored: nobody waits for an answer. */
  notify(method: string, params: unknown): Promise<void>;
  /** `textDocument/completion`, `textDocument/hover`. `null` where there is nothing to say, or no such document. */
  ask(method: string, params: unknown): Promise<unknown>;
}

export interface Editor {
  /** Sends `textDocument/publishDiagnostics`. */
  readonly publish: (params: object) => void;
  /** It has the JSON schema itself: its findings are not repeated. */
  readonly knowsSchema: () => boolean;
}

export function openDocuments(
  facts: () => Promise<GatewayFacts | undefined>,
  { publish, knowsSchema }: Editor,
): DocumentSession {
  const language = openConfigLanguage(async () => (await facts()) ?? noFacts);
  const documents = new Map<string, { readonly text: string; readonly version: number | null | undefined }>();

  async function judge(uri: string): Promise<void> {
    const document = documents.get(uri);
    if (!document) return;
    const diagnostics = await diagnosticsOf(language, document.text, knowsSchema());
    if (documents.get(uri) !== document) return; // it was changed or closed meanwhile
    publish({ uri, ...(typeof document.version === 'number' && { version: document.version }), diagnostics });
  }

  return {
    async notify(method, params) {
      if (method === 'textDocument/didOpen') {
        const { data } = Open.safeParse(params);
        if (!data || documents.size >= MAX_DOCUMENTS) return;
        const { uri, text, version } = data.textDocument;
        documents.set(uri, { text, version });
        await judge(uri);
      } else if (method === 'textDocument/didChange') {
        const { data } = Change.safeParse(params);
        const last = data?.contentChanges.at(-1);
        if (!data || !last || !documents.has(data.textDocument.uri)) return;
        documents.set(data.textDocument.uri, { text: last.text, version: data.textDocument.version });
        await judge(data.textDocument.uri);
      } else if (method === 'textDocument/didClose') {
        const { data } = Close.safeParse(params);
        if (data && documents.delete(data.textDocument.uri)) publish({ uri: data.textDocument.uri, diagnostics: [] });
      }
    },
    async ask(method, params) {
      const { data } = At.safeParse(params);
      const document = data && documents.get(data.textDocument.uri);
      if (!document) return null;
      const lines = new Lines(document.text);
      const offset = lines.offsetAt(data.position);
      if (method === 'textDocument/completion') {
        const items = await language.completion(document.text, offset);
        return items.filter((it) => it.kind === 'name' || !knowsSchema()).map((it) => toItem(it, lines));
      }
      const hover = await language.hover(document.text, offset);
      const paragraphs = [hover?.health, knowsSchema() ? undefined : hover?.words].filter((it) => it !== undefined);
      if (!hover || paragraphs.length === 0) return null;
      return { contents: { kind: 'plaintext', value: paragraphs.join('\n\n') }, range: lines.range(hover) };
    },
  };
}

const ERROR = 1;
const WARNING = 2;

async function diagnosticsOf(language: ConfigLanguage, text: string, knowsSchema: boolean): Promise<object[]> {
  const lines = new Lines(text);
  const all = await language.diagnostics(text);
  const shown = all.filter((it) => !knowsSchema || it.kind === 'rule' || it.kind === 'warning');
  return shown.map((it) => ({
    range: lines.range(it),
    severity: it.kind === 'warning' ? WARNING : ERROR,
    code: it.kind,
    source: 'switchboard',
    message: it.message,
  }));
}

/** Kinds of the Language Server Protocol. */
const kinds = { member: 10, value: 12, name: 18 } as const;

function toItem(it: Completion, lines: Lines): object {
  return {
    label: it.label,
    kind: kinds[it.kind],
    ...(it.detail !== undefined && { detail: it.detail }),
    ...(it.documentation !== undefined && { documentation: it.documentation }),
    // What stands there is compared with this; it has its quotes.
    filterText: it.length > 0 ? it.insert : it.label,
    textEdit: { range: lines.range(it), newText: it.insert },
  };
}
