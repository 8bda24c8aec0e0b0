import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { AgentInfo } from '../../../../../../sidecar/protocol/channels/root/schema.ts';
import { attachmentBytes as ofHost } from '../../../../../../sidecar/protocol/limits.ts';
import type { MessageAttachment } from '../../../../../../sidecar/protocol/shared.ts';
import { contentUri } from '../../../../../../sidecar/protocol/uris.ts';
import { toAttachment, toSent } from '../../../../../../src/webviews/chat/attach/attachmentModels.ts';
import { attachmentBytes } from '../../../../../../src/webviews/contract/attachmentLimits.ts';

const uri = contentUri('0'.repeat(64), 'a');
const image: MessageAttachment = {
  type: 'resource',
  label: 'a.png',
  uri,
  contentType: 'image/png',
  displayKind: 'image',
};
const pdf: MessageAttachment = { type: 'resource', label: 'a.pdf', uri, contentType: 'application/pdf' };
const text: MessageAttachment = { type: 'resource', label: 'a', uri, contentType: 'text/plain' };
const link: MessageAttachment = { type: 'resource', label: 'a.png', uri: 'file:///a.png' };
const agent = (images: boolean, files: boolean, supportsVision = true): AgentInfo => ({
  provider: 'e',
  displayName: 'Echo',
  description: '',
  models: [{ id: 'm', provider: 'e', name: 'M', supportsVision }],
  capabilities: { prompts: { images, files } },
});
const silent: AgentInfo = { provider: 'e', displayName: 'Echo', description: '', models: [] };

describe('1c-12 an attachment in the composer', () => {
  for (const { says, attachment, of, refusedBy } of [
    { says: 'an image that the agent does not take', attachment: image, of: agent(false, true), refusedBy: 'Echo' },
    {
      says: 'an image that its model does not take',
      attachment: image,
      of: agent(true, true, false),
      refusedBy: 'Echo',
    },
    { says: 'a file that the agent does not take', attachment: pdf, of: agent(true, false), refusedBy: 'Echo' },
    { says: 'no image that the agent takes', attachment: image, of: agent(true, false), refusedBy: undefined },
    { says: 'no file that the agent takes', attachment: pdf, of: agent(false, true), refusedBy: undefined },
    { says: 'no text', attachment: text, of: agent(false, false), refusedBy: undefined },
    { says: 'no link', attachment: link, of: agent(false, false), refusedBy: undefined },
    { says: 'nothing before the agent said what it takes', attachment: image, of: silent, refusedBy: undefined },
  ])
    it(`says before it is sent that the agent gets only the name: of ${says}`, () => {
      assert.equal(toAttachment({ id: 'x', attachment }, of, 'm').refusedBy, refusedBy);
    });

  for (const { what, attachment, isText } of [
    {
      what: 'a short paste',
      attachment: { type: 'simple', label: 'P', modelRepresentation: 'x', displayKind: 'paste' },
      isText: true,
    },
    { what: 'a long paste', attachment: { ...text, displayKind: 'paste' }, isText: true },
    { what: 'a file', attachment: link, isText: undefined },
    { what: 'problems', attachment: { type: 'simple', label: 'P', displayKind: 'problems' }, isText: undefined },
  ] as { what: string; attachment: MessageAttachment; isText: true | undefined }[])
    it(`can ${isText ? '' : 'not '}be turned back into text: ${what}`, () => {
      assert.equal(toAttachment({ id: 'x', attachment }, undefined, undefined).isText, isText);
    });

  it('shows its kind and its size', () => {
    const shown = toAttachment(
      { id: 'x', attachment: { ...image, sizeHint: 7, _meta: { lines: 3 } } },
      undefined,
      undefined,
    );
    assert.deepEqual(shown, { id: 'x', label: 'a.png', kind: 'image', bytes: 7, lines: 3 });
  });

  for (const { says, thumbnail, shown } of [
    { says: 'that is there as a whole', thumbnail: 'data:image/webp;base64,AA==', shown: true },
    { says: 'that would be fetched: not shown', thumbnail: 'https://example.com/a.png', shown: false },
    { says: 'that is no text: not shown', thumbnail: 7, shown: false },
  ])
    it(`keeps its kind and small picture when it was sent, one ${says}`, () => {
      assert.deepEqual(toSent({ ...image, _meta: { thumbnail } }), {
        label: 'a.png',
        kind: 'image',
        ...(shown && { thumbnail }),
      });
    });

  it('may be as large as the host takes it', () => {
    assert.equal(attachmentBytes, ofHost);
  });
});
