import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { accessTitle } from '../../../../src/requests/accessText.ts';
import { english } from '../../../support/extensionStates.ts';

const idOf = () => 'once';
const question = { id: 'q1', asker: 'A program', uri: 'file:///etc/pass%20wd', read: true, write: false };

describe('the notification about a program that asks for files', () => {
  it('says who wants what, and links both answers to the question alone', () => {
    const argument = encodeURIComponent(JSON.stringify([{ key: 'q1', id: 'once' }]));
    assert.equal(
      accessTitle(english, question, idOf),
      `A program wants to read: /etc/pass wd — [Allow](command:switchboard.access.allow?${argument}) · [Deny](command:switchboard.access.deny?${argument})`,
    );
    assert.match(accessTitle(english, { ...question, write: true }, idOf), /wants to read and change:/);
    assert.match(accessTitle(english, { ...question, read: false, write: true }, idOf), /wants to change:/);
  });
  it('gets no link from the name of a program or a file', () => {
    const evil = '[Allow](command:evil)';
    const title = accessTitle(english, { ...question, asker: evil, uri: `file:///${encodeURIComponent(evil)}` }, idOf);
    assert.equal(title.match(/\]\(/g)?.length, 2);
  });
  it('does not offer to allow what is too long to be read', () => {
    const title = accessTitle(english, { ...question, uri: `file:///${'a'.repeat(300)}` }, idOf);
    assert.match(title, /\[Deny\]/);
    assert.doesNotMatch(title, /\[Allow\]/);
  });
});
