import { STATUS_CODES } from 'node:http';
import { isRecord } from '../../../platform/isRecord.ts';
import { wholeBytes } from '../../../platform/requestBody.ts';
import { headerOf } from '../mcp/eventStream.ts';
import { nestsDeeper } from '../mcp/nestsDeeper.ts';
import type { HttpResponse } from '../mcp/types.ts';
import { isJsonType } from './parameters.ts';

/** Of an answer that becomes a tool's: it is for a model to read. */
export const maxAnswerBytes = 4_000_000;

export interface ToolResult extends Record<string, unknown> {
  readonly content: readonly Record<string, unknown>[];
  readonly isError?: true;
}

/** The result of a tool from the answer of the API; an error of the API is an error of the tool. */
export async function toolResult(response: HttpResponse, maxBytes: number): Promise<ToolResult> {
  const { status } = response;
  const bytes = await wholeBytes(response.body, Math.min(maxBytes, maxAnswerBytes));
  if (!bytes)
    return failed(`${statusLine(status)}\nThe response is longer than ${Math.min(maxBytes, maxAnswerBytes)} bytes.`);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = headerOf(response, 'content-type') ?? '';
  if (status >= 300) return failed([refusalLine(status), readable(body, type)].filter(Boolean).join('\n'));
  if (body.length === 0) return text(statusLine(status));
  const [media = ''] = type.toLowerCase().split(';');
  if (isJsonType(type)) return jsonResult(decoded(body, type));
  if (isText(media, body)) return text(decoded(body, type));
  if (/^(?:image|audio)\/[\w.+-]+$/.test(media)) {
    const kind = media.startsWith('image/') ? 'image' : 'audio';
    return { content: [{ type: kind, data: body.toString('base64'), mimeType: media }] };
  }
  return text(`${statusLine(status)}\n${binaryWords(body, media)}`);
}

function jsonResult(written: string): ToolResult {
  let value: unknown;
  try {
    value = JSON.parse(written) as unknown;
  } catch {
    return text(written);
  }
  if (nestsDeeper(value)) return text(written);
  return { ...text(written), structuredContent: isRecord(value) ? value : { result: value } };
}

const readable = (body: Buffer, type: string): string => {
  const [media = ''] = type.toLowerCase().split(';');
  if (body.length === 0) return '';
  return isJsonType(type) || isText(media, body) ? decoded(body, type) : binaryWords(body, media);
};

const text = (it: string): ToolResult => ({ content: [{ type: 'text', text: it }] });
export const failed = (it: string): ToolResult => ({ ...text(it), isError: true });

const statusLine = (status: number) => `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trim();
const refusalLine = (status: number) =>
  status < 400
    ? `${statusLine(status)}: the API redirects to another address, which is not followed.`
    : statusLine(status);
const binaryWords = (body: Buffer, media: string) =>
  `The response is ${body.length} bytes of ${/^[\w.+-]+\/[\w.+-]+$/.test(media) ? media : 'unknown type'}, which is not text.`;

const isText = (media: string, body: Buffer): boolean =>
  media.startsWith('text/') || /(?:xml|yaml|javascript|urlencoded)$/.test(media) || (media === '' && !body.includes(0));

function decoded(body: Buffer, type: string): string {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString('utf8'); // an encoding that nobody knows
  }
}
