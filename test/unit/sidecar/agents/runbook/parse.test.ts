import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { looksLikeRunbook, parseRunbook } from '../../../../../sidecar/agents/runbook/parse.ts';
import { tour } from '../../../../../sidecar/agents/runbook/tour.ts';

const fence = (info: string, ...lines: string[]) => `\`\`\`${info}\n${lines.map((it) => `${it}\n`).join('')}\`\`\`\n`;
const askFor = (name: string) => fence('ask', `name: ${name}`, 'message: What?');
const steps = (source: string) => {
  const parsed = parseRunbook(source, 'it');
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.runbook.steps;
};

describe('parseRunbook', () => {
  it('reads the tour, with every kind of step', () => {
    assert.deepEqual([...new Set(steps(tour).map((it) => it.kind))].toSorted(), [
      'ask',
      'diff',
      'prose',
      'shell',
      'write',
    ]);
  });
  it('keeps prose to the letter, blocks of other languages included', () => {
    const prose = 'a\r\n\n- b\n\n```js\n1 ```\n```\n    ```sh\n';
    assert.equal(
      steps(`${prose}${fence('sh', 'true')}after`)
        .map((it) => (it.kind === 'prose' ? it.text : '|'))
        .join(''),
      `${prose}|after`,
    );
  });
  it('keeps the content of a written file to the letter, CRLF and fences of fewer ticks included', () => {
    const [step] = steps('````write a b.md\nx\r\n```\ny\n```\n````\n');
    assert.deepEqual(step, { kind: 'write', line: 1, path: 'a b.md', content: 'x\r\n```\ny\n```\n' });
  });
  it('takes title and description from the front matter, and counts lines from the top of the file', () => {
    const parsed = parseRunbook(`---\ntitle: "A: b"\ndescription: c\npace: 5\n---\n# D\n${fence('sh', 'true')}`, 'it');
    assert.ok(parsed.ok);
    const { title, description, paceMs, steps: found } = parsed.runbook;
    assert.deepEqual([title, description, paceMs, found.map((it) => it.line)], ['A: b', 'c', 5, [6, 7]]);
  });
  it('reads front matter in single quotes, with line ends of Windows and the longest pace', () => {
    const source = `---\r\ntitle: 'A: b'\r\ndescription: 'c"\r\npace: 1000\r\n---\r\n\`\`\`sh\r\na\r\nb\r\n\`\`\`\r\n`;
    const parsed = parseRunbook(source, 'it');
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { title, description, paceMs, steps: found } = parsed.runbook;
    assert.deepEqual([title, description, paceMs], ['A: b', `'c"`, 1000]);
    assert.deepEqual(found, [{ kind: 'shell', line: 6, command: 'a\nb' }]);
  });
  it('closes a block with the marks that opened it alone, and lets an info after tildes hold back-ticks', () => {
    const [step] = steps('~~~write a`b.md\nx\n```\ny\n~~~\n');
    assert.deepEqual(step, { kind: 'write', line: 1, path: 'a`b.md', content: 'x\n```\ny\n' });
  });
  it('takes the first heading for the title, and else the name', () => {
    const titleOf = (source: string) => {
      const parsed = parseRunbook(source, 'it');
      return parsed.ok && parsed.runbook.title;
    };
    assert.deepEqual([titleOf('x\n# Heading #\n'), titleOf('x')], ['Heading', 'it']);
  });
  it('tells a runbook from a prompt', () => {
    assert.deepEqual(['hello', '```js\n1\n```', fence('sh', 'ls')].map(looksLikeRunbook), [false, false, true]);
  });

  for (const { says, source, line, fix } of [
    { says: 'a block that is not closed', source: 'a\n```sh\nls\n', line: 2, fix: /add ``` on a line of its own/ },
    { says: 'front matter that is not closed', source: '---\ntitle: a\n', line: 1, fix: /add ---/ },
    {
      says: 'a key that front matter does not know',
      source: '---\ntitel: a\n---\n',
      line: 2,
      fix: /front matter can contain only `title: …`, `description: …`, and `pace: …`; remove this line/,
    },
    { says: 'an empty command', source: fence('sh'), line: 1, fix: /the `sh` block is empty; add a command/ },
    {
      says: 'a file without a name',
      source: fence('write', 'x'),
      line: 1,
      fix: /the `write` block has no file path; add the path after `write`: ```write notes\/today\.md/,
    },
    {
      says: 'a diff without a file',
      source: fence('diff', '@@', '-a'),
      line: 2,
      fix: /a diff must begin with the file names: `--- a\/file` and `\+\+\+ b\/file`/,
    },
    {
      says: 'a hunk whose numbers do not fit',
      source: fence('diff', '--- a/f', '+++ b/f', '@@ -1,2 +1,1 @@', '-a'),
      line: 4,
      fix: /correct them, or write only `@@`/,
    },
    {
      says: 'a diff that renames',
      source: fence('diff', 'rename from a', 'rename to b'),
      line: 2,
      fix: /use an `sh` block/,
    },
    { says: 'a question without a name', source: fence('ask', 'message: What?'), line: 2, fix: /name: release_kind/ },
    { says: 'a question without words', source: fence('ask', 'name: a'), line: 2, fix: /message/ },
    {
      says: 'a kind that there is not',
      source: fence('ask', 'name: a', 'kind: date', 'message: b'),
      line: 3,
      fix: /use one of text, number/,
    },
    {
      says: 'a choice without options',
      source: fence('ask', 'name: a', 'kind: single-select', 'message: b'),
      line: 3,
      fix: /options:/,
    },
    {
      says: 'options of a text question',
      source: fence('ask', 'name: a', 'message: b', 'options:', '- c'),
      line: 4,
      fix: /`; remove this line \(supported fields:/,
    },
    { says: 'an option before options', source: fence('ask', 'name: a', '- c'), line: 3, fix: /write `options:`/ },
    {
      says: 'a bound that is no number',
      source: fence('ask', 'name: a', 'message: b', 'min: few'),
      line: 4,
      fix: /` must be a number, for example `/,
    },
    {
      says: 'a whole number with a broken default',
      source: fence('ask', 'name: a', 'kind: integer', 'message: b', 'default: 1.5'),
      line: 5,
      fix: /whole number/,
    },
    {
      says: 'two questions in a block',
      source: fence('ask', 'name: a', 'message: b', 'name: c'),
      line: 4,
      fix: /` appears more than once; keep only one, because a block can contain only one question/,
    },
    { says: 'a name that is asked twice', source: askFor('a') + askFor('a'), line: 5, fix: /a different name/ },
    {
      says: 'a name used before it is asked',
      source: `{{a}}\n${askFor('a')}`,
      line: 1,
      fix: /move its `ask` block up/,
    },
    {
      says: 'a command with a name that is never asked',
      source: fence('sh', 'echo {{a}}'),
      line: 1,
      fix: /add an `ask` block/,
    },
    {
      says: 'an answer inside double quotes',
      source: askFor('a') + fence('sh', 'echo "hi {{a}}"'),
      line: 5,
      fix: /out of the quotes/,
    },
    {
      says: 'an answer inside single quotes',
      source: askFor('a') + fence('sh', "echo '{{a}}'"),
      line: 5,
      fix: /out of the quotes/,
    },
    {
      says: 'an answer inside backticks',
      source: askFor('a') + fence('sh', 'echo `ls {{a}}`'),
      line: 5,
      fix: /out of the quotes/,
    },
    {
      says: 'an answer in a comment',
      source: askFor('a') + fence('sh', 'ls # {{a}}'),
      line: 5,
      fix: /from the comment/,
    },
    {
      says: 'an answer near a here-document',
      source: askFor('a') + fence('sh', 'cat <<E', '{{a}}', 'E'),
      line: 5,
      fix: /variable first/,
    },
  ]) {
    it(`refuses ${says}, names line ${line} and says how to put it right`, () => {
      const parsed = parseRunbook(source, 'it');
      assert.ok(!parsed.ok, 'it was taken');
      assert.equal(parsed.problems[0]?.line, line);
      assert.match(parsed.problems[0]?.message ?? '', fix);
    });
  }

  it('reads all six kinds of questions with their fields', () => {
    const asks = [
      ['name: a', 'message: A', 'title: T', 'required: true', 'min: 1', 'max: 9', 'format: email', 'default: x@y.z'],
      ['name: b', 'kind: number', 'message: B', 'min: 0.5', 'default: 1.5'],
      ['name: c', 'kind: integer', 'message: C', 'max: 3', 'default: 0'],
      ['name: d', 'kind: boolean', 'message: D', 'default: false'],
      [
        'name: e',
        'kind: single-select',
        'message: E',
        'default: two',
        'other: true',
        'options:',
        '- one: One | the first',
        '- two: Two',
      ],
      [
        'name: f',
        'kind: multi-select',
        'message: F',
        'min: 1',
        'max: 2',
        'options:',
        '- Just a label (recommended)',
        '- x: X',
      ],
    ];
    assert.deepEqual(
      steps(asks.map((it) => fence('ask', ...it)).join('')).map((it) => it.kind === 'ask' && it.question),
      [
        {
          id: 'a',
          kind: 'text',
          message: 'A',
          title: 'T',
          required: true,
          min: 1,
          max: 9,
          format: 'email',
          defaultValue: 'x@y.z',
        },
        { id: 'b', kind: 'number', message: 'B', min: 0.5, defaultValue: 1.5 },
        { id: 'c', kind: 'integer', message: 'C', max: 3, defaultValue: 0 },
        { id: 'd', kind: 'boolean', message: 'D', defaultValue: false },
        {
          id: 'e',
          kind: 'single-select',
          message: 'E',
          options: [
            { id: 'one', label: 'One', description: 'the first' },
            { id: 'two', label: 'Two', recommended: true },
          ],
          allowFreeformInput: true,
        },
        {
          id: 'f',
          kind: 'multi-select',
          message: 'F',
          options: [
            { id: 'Just a label', label: 'Just a label', recommended: true },
            { id: 'x', label: 'X' },
          ],
          min: 1,
          max: 2,
        },
      ],
    );
  });
});
