import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toPrompt } from '../../../../../sidecar/agents/acp/prompt.ts';
import type { Attachment, SessionFiles } from '../../../../../sidecar/agents/provider.ts';

const files = { readText: async () => 'one\ntwo\nthree\n' } as unknown as SessionFiles;
const label = 'it';
const image: Attachment = { kind: 'data', label, base64: 'AAA=', contentType: 'image/png' };
const bytes: Attachment = { kind: 'data', label, base64: 'AAA=', contentType: 'application/pdf' };
const text: Attachment = { kind: 'text', label, text: 'long' };
const file: Attachment = { kind: 'file', label, path: '/a/b.ts' };
const nothing = { image: false, embeddedContext: false };
const leftOut = (type: string) => ({
  type: 'text',
  text: `(The attachment it was left out because this agent does not accept the content type ${type}.)`,
});

describe('1c-12 an attachment in a prompt of the Agent Client Protocol', () => {
  for (const { is, attachment, abilities, block } of [
    {
      is: 'an image where the agent takes images',
      attachment: image,
      abilities: { ...nothing, image: true },
      block: { type: 'image', data: 'AAA=', mimeType: 'image/png' },
    },
    {
      is: 'named where the agent takes no images',
      attachment: image,
      abilities: { ...nothing, embeddedContext: true },
      block: leftOut('image/png'),
    },
    {
      is: 'embedded bytes where the agent takes contents',
      attachment: bytes,
      abilities: { ...nothing, embeddedContext: true },
      block: { type: 'resource', resource: { uri: 'attachment:///it', blob: 'AAA=', mimeType: 'application/pdf' } },
    },
    {
      is: 'named where the agent takes no contents',
      attachment: bytes,
      abilities: { ...nothing, image: true },
      block: leftOut('application/pdf'),
    },
    {
      is: 'embedded text where the agent takes contents',
      attachment: text,
      abilities: { ...nothing, embeddedContext: true },
      block: { type: 'resource', resource: { uri: 'attachment:///it', text: 'long', mimeType: 'text/plain' } },
    },
    {
      is: 'written out where the agent takes no contents',
      attachment: text,
      abilities: nothing,
      block: { type: 'text', text: '\nit:\n```\nlong\n```\n' },
    },
    {
      is: 'a link to a file or folder',
      attachment: file,
      abilities: nothing,
      block: { type: 'resource_link', uri: 'file:///a/b.ts', name: 'b.ts' },
    },
    {
      is: 'the chosen lines of a file',
      attachment: { ...file, lines: [2, 3] as const },
      abilities: { ...nothing, embeddedContext: true },
      block: {
        type: 'resource',
        resource: { uri: 'file:///a/b.ts#L2-L3', text: 'two\nthree', mimeType: 'text/plain' },
      },
    },
  ])
    it(`is ${is}`, async () => {
      assert.deepEqual(await toPrompt('Look', [attachment], abilities, files), [{ type: 'text', text: 'Look' }, block]);
    });
});
