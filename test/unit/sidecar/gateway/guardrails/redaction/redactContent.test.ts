import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { redactContent } from '../../../../../../sidecar/gateway/guardrails/redaction/redactContent.ts';
import { plantedData, plantedSecrets } from '../../../../../support/guardrails/plantedSecrets.ts';
import { verifies } from '../../../../../support/verifies.ts';

const serverKey = 'Static value/of a server';
const clean = (text: string, redactsPersonalData = true) =>
  redactContent(text, { redactsPersonalData, hidden: [serverKey] });

/** Each with a part of it that must not be left. */
const secrets = [
  ...Object.values({ ...plantedSecrets, ...plantedData }).map((it) => [it, it.slice(it.length / 4, -it.length / 4)]),
  [serverKey, 'value/of a'],
] as const;

/** How a secret comes to be in a text. */
const places: readonly ((words: string, secret: string) => string)[] = [
  (words, secret) => `${words} ${secret}`,
  (words, secret) => JSON.stringify({ [words]: `\n${secret} ${words}` }),
  (words, secret) => JSON.stringify({ [`a ${secret}`]: [words] }),
  (words, secret) => JSON.stringify({ text: JSON.stringify({ a: JSON.stringify([`\t${secret}`, words]) }) }),
  (_, secret) => `{"a":"${secret.replaceAll(/./gs, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)}"}`,
];

describe('what is stored of requests and responses', () => {
  it('has no secret of any kind, wherever in the text it is', () => {
    verifies('gateway.content.clean');
    const property = fc.property(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(...secrets),
      fc.constantFrom(...places),
      (words, [secret = '', part = ''], place) => {
        const stored = clean(place(words.replaceAll(/[\w"]$/g, ''), secret));
        assert.ok(!stored.includes(part), stored);
        assert.match(stored, /\[(?:redacted|hidden)/);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('has no secret that a stream sends in pieces, and all the text around it', () => {
    verifies('gateway.content.clean');
    const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    const property = fc.property(fc.constantFrom(...secrets), fc.integer({ min: 1, max: 9 }), ([secret = ''], size) => {
      const pieces = `before (${secret}) after`.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
      const text = `${pieces.map(event).join('')}data: [DONE]\n\n`;
      const contents = [...clean(text).matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, it = '""']) =>
        JSON.parse(it),
      );
      const joined = contents.join('').replaceAll(/(?:\[(?:redacted:\w+|hidden)\])+/g, '*');
      assert.equal(joined, 'before (*) after');
    });
    fc.assert(property, { numRuns: 200 });
  });

  for (const [title, text, stored] of [
    ['the value of a member with a name like a secret', '{"password":"a b","n":1}', '{"password":"[hidden]","n":1}'],
    ['everything under such a name', '{"env":{"A":"b"},"c":"d"}', '{"env":{"A":"[hidden]"},"c":"d"}'],
    ['one in JSON within JSON', '{"text":"{\\"api_key\\":\\"x\\"}"}', '{"text":"{\\"api_key\\":\\"[hidden]\\"}"}'],
    ['one that is cut', '{"a":"b","client_secret":"abc', '{"a":"b","client_secret":"[hidden]'],
    ['one that is cut in an escape sequence', '{"token":"abc\\u00', '{"token":"[hidden]'],
    ['a header line', 'Authorization: Basic abc\nAccept: x', 'Authorization: [redacted:secret]\nAccept: x'],
    ['an assignment', 'PASSWORD=hunter22 done', 'PASSWORD=[redacted:secret] done'],
    ['a value in quotes to their end', "password = 'correct horse'", "password = '[redacted:secret]'"],
    ['an access key', 'AWS_SECRET_ACCESS_KEY=wJalrXUtn/bPx', 'AWS_SECRET_ACCESS_KEY=[redacted:secret]'],
    ['an element', '<password>hunter22</password>', '<password>[redacted:secret]</password>'],
    ['an entry of a hash', "'password' => 'hunter22'", "'password' => '[redacted:secret]'"],
    ['a private key by its name', '{"privateKey":"x","pass":"y"}', '{"privateKey":"[hidden]","pass":"[hidden]"}'],
    [
      'the value of a header in a list',
      '[{"name":"X-Api-Key","value":"x"},{"name":"Accept","value":"y"}]',
      '[{"name":"X-Api-Key","value":"[hidden]"},{"name":"Accept","value":"y"}]',
    ],
    ['an option', 'login --token hunter22 -v', 'login --token [redacted:secret] -v'],
    ['the password of a user', 'curl -u ada:hunter22 https://host', 'curl -u ada:[redacted:secret] https://host'],
    ['a key in a URL', 'https://host/a?key=hunter22&b=c', 'https://host/a?key=[redacted:secret]&b=c'],
    [
      'a signature in a URL',
      'https://host/a?X-Amz-Signature=0a1b2c',
      'https://host/a?X-Amz-Signature=[redacted:secret]',
    ],
    ['a password alone in a URL', 'redis://:hunter22@host', 'redis://[redacted:secret]@host'],
    ['a token in a URL', 'https://0123456789abcdef@host/', 'https://[redacted:secret]@host/'],
    ['a scheme in small letters', 'bearer 0123456789abcdef', 'bearer [redacted:secret]'],
    ['a token for SCIM', `use scim-${'a1-'.repeat(15)} now`, 'use [redacted:api_key] now'],
    ['a token of GitLab', `use glpat-${'a1'.repeat(10)} now`, 'use [redacted:secret] now'],
    ['a URL with credentials', 'see https://ada:pass@host/', 'see https[hidden]host/'],
  ] as const)
    it(`hides ${title}`, () => assert.equal(clean(text), stored));

  for (const [title, text] of [
    ['numbers of tokens', '{"usage":{"prompt_tokens":12,"completion_tokens":3},"max_tokens":100}'],
    ['JSON as it is written', '{ "a" : [1, 2.50,\n"\\u00fc \\/"] }'],
    ['an event stream', 'event: message\ndata: {"delta":{"text":"Hello"}}\n\ndata: [DONE]\n\n'],
    ['a question for a password', '{"a":{"b":{"c":[{"text":"password:"}]}}},"other":"password: "}'],
    ['prose', 'A basic understanding of a private-key ceremony: the user passes 3 tests. --token is an option.'],
    ['ordinary URLs', 'https://host/a?page=12345678&q=key&code=200 git+ssh://git@host/a'],
    ['a name and its value', '{"name":"city","value":"Berlin"}'],
    ['text with odd quotes and brackets', 'He said "no\n{[ "} \\" "'],
  ] as const)
    it(`leaves ${title}`, () => assert.equal(clean(text), text));

  it('has personal data where somebody wants that', () => {
    const text = JSON.stringify(Object.values(plantedData));
    assert.equal(clean(text, false), text);
  });

  it('is looked at in time linear to the text', () => {
    for (const unit of ['\\"', '{"a":"', 'password=', '[', '"token":{', 'data: "a":"b",\n'])
      assert.equal(typeof clean(unit.repeat(20_000)), 'string');
  });

  it('is looked at in time linear to the number of secrets that go on in the next piece', () => {
    const secret = plantedSecrets.api_key;
    const pieces = `"a":"${secret.slice(0, 6)}","a":"${secret.slice(6)} ",`.repeat(60_000);
    assert.ok(!clean(pieces, false).includes('planted'));
  });
});
