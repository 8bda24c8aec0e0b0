import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, it } from 'mocha';
import { parse as parseYaml } from 'yaml';
import { rooms } from '../../rooms.ts';
import { readConfig } from '../../sidecar/gateway/configuration/readConfig.ts';
import { allRoutes } from '../../sidecar/gateway/http/routes.ts';
import { isGatewayCommand, readCommandLine } from '../../sidecar/launch/command/commandLine.ts';
import { flags } from '../../sidecar/launch/command/flags.ts';
import { exitCodes } from '../../sidecar/launch/failure.ts';
import { readCommand } from '../../sidecar/launch/gatewayCommands/readCommand.ts';
import { commandFlags, commandNames } from '../../sidecar/launch/gatewayCommands/table.ts';
import { projectRoot } from '../support/cache.ts';
import { anchorsOf, documents, fencesOf, proseOf, readDocument } from '../support/documents/markdown.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
const json = <T>(name: string) => parse(read(name)) as T;

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly { readonly title: string; readonly category?: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, { readonly default: unknown }>> }[];
  };
}
const manifest = json<Manifest>('package.json');
const texts = json<Record<string, string>>('package.nls.json');
const settings = new Map(manifest.contributes.configuration.flatMap((it) => Object.entries(it.properties)));
const all = documents.map((name) => [name, readDocument(name)] as const);

/** What `find` finds in a document and `isRight` refuses, as `document: what`. */
const wrong = (find: RegExp, isRight: (found: string) => boolean): string[] =>
  all.flatMap(([name, text]) =>
    [...text.matchAll(find)]
      .map((it) => it[1] as string)
      .filter((it) => !isRight(it))
      .map((it) => `${name}: ${it}`),
  );

/** The words in backticks of the first column of the table whose header begins with `header`. */
function firstColumn(document: string, header: string): string[] {
  const lines = document.split('\n');
  const from = lines.findIndex((line) => line.toLowerCase().startsWith(`| ${header} |`));
  assert.notEqual(from, -1, `there is no table "${header}"`);
  const rows = lines.slice(from + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows
    .slice(0, end === -1 ? undefined : end)
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((it) => it[1] as string));
}

describe('documents say what the code says', () => {
  for (const [name, lines] of [
    ['README.md', 150],
    ['ARCHITECTURE.md', 150],
  ] as const)
    it(`${name} has at most ${lines} lines`, () => {
      const { length } = readDocument(name).replace(/\n$/, '').split('\n');
      assert.ok(length <= lines, `${length} lines`);
    });

  it('README.md shows the two commands in its first screen', () => {
    const [first] = fencesOf(readDocument('README.md'));
    assert.equal(first?.text, 'npm ci && npm start\nnpm ci && npm test');
    assert.ok(readDocument('README.md').split('\n').slice(0, 25).includes('npm ci && npm start'));
  });

  it('ARCHITECTURE.md lists the rooms of rooms.ts', () => {
    assert.deepEqual(firstColumn(readDocument('ARCHITECTURE.md'), 'rooms').sort(), Object.keys(rooms).sort());
  });

  it('ARCHITECTURE.md names a test that is there for each invariant', () => {
    const [, table = ''] =
      /\| invariant \| test \|\n[|\s-]+\n((?:\|.*\n)+)/.exec(readDocument('ARCHITECTURE.md')) ?? [];
    const rows = table.trim().split('\n');
    assert.ok(rows.length >= 15, `${rows.length} invariants`);
    for (const row of rows) {
      const tests = [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map((it) => it[1] as string);
      assert.ok(tests.length > 0 && tests.every((it) => existsSync(join(projectRoot, it))), row);
    }
  });

  it('README.md names settings with their defaults', () => {
    const readme = readDocument('README.md');
    const named = firstColumn(readme, 'setting');
    assert.equal(named.length, 10);
    for (const id of named) {
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${id}\``)) ?? '';
      const value = settings.get(id)?.default;
      const said = typeof value === 'string' ? value : JSON.stringify(value);
      assert.equal(row.split('|')[2]?.trim(), `\`${said}\``, id);
    }
  });

  it('every setting that a document names is there', () => {
    const groups = new Set([...settings.keys()].map((it) => it.replace(/\.\w+$/, '')));
    const commands = json<{ contributes: { commands: { command: string }[] } }>('package.json').contributes.commands;
    const ids = new Set(commands.map((it) => it.command));
    const known = (id: string) =>
      settings.has(id) || groups.has(id) || ids.has(id) || id === 'switchboard.jsonc' || id.endsWith('.*');
    assert.deepEqual(wrong(/`(switchboard\.[\w.*]+)`/g, known), []);
  });

  it('every command that a document names is in the Command Palette under that name', () => {
    const titles = new Set(
      manifest.contributes.commands.map(({ title, category = '' }) =>
        `${category}: ${title}`.replaceAll(/%([^%]+)%/g, (_, key: string) => texts[key] ?? ''),
      ),
    );
    assert.deepEqual(
      wrong(/\*\*(Switchboard: [^*]+)\*\*/g, (it) => titles.has(it)),
      [],
    );
  });

  it('every label that README.md names is a text of the product', () => {
    const bundle = Object.values(json<Record<string, string>>('media/l10n/bundle.l10n.json'));
    const known = new Set([...Object.values(texts), ...bundle, '+', 'Take the tour (2 min)']);
    const labels = [...proseOf(readDocument('README.md')).matchAll(/^- \*\*([^*]+…|Copy[^*]+|Open[^*]+)\*\*/gm)];
    assert.ok(labels.length >= 5);
    assert.deepEqual(
      labels.map((it) => it[1] as string).filter((it) => !known.has(it)),
      [],
    );
  });

  it('every file that a document names is there', () => {
    assert.deepEqual(
      wrong(/`((?:src|sidecar|media|test)\/[\w./-]+)`/g, (it) => existsSync(join(projectRoot, it.replace(/\/$/, '')))),
      [],
    );
  });

  it('every npm script that a document or .ci/run names is there', () => {
    const isScript = (it: string) => it in manifest.scripts;
    assert.deepEqual(wrong(/npm run ([a-z:]+)/g, isScript), []);
    const inCi = [...read('.ci/run').matchAll(/npm run ([a-z:]+)/g)].map((it) => it[1] as string);
    assert.deepEqual(
      inCi.filter((it) => !isScript(it)),
      [],
    );
  });

  it('every link leads to a file, heading or https address', () => {
    const isThere = (link: string) => {
      if (/^https:\/\/[\w.-]+\//.test(link)) return true;
      const [path = '', anchor] = link.split('#');
      if (!existsSync(join(projectRoot, path))) return false;
      return anchor === undefined || anchorsOf(readDocument(path)).includes(anchor);
    };
    assert.deepEqual(wrong(/\]\(([^)\s]+)\)/g, isThere), []);
    assert.ok(all.flatMap(([, text]) => [...text.matchAll(/\]\(([^)\s]+)\)/g)]).length > 15);
  });
});

describe('what documents show can be used', () => {
  const shown = all.flatMap(([name, text]) => fencesOf(text).map((it) => ({ name, ...it })));

  it('each configuration of the gateway is read without an error or a warning', () => {
    const configurations = shown.flatMap(({ language, text }) => [
      ...(language === 'jsonc' ? [text] : []),
      ...[...text.matchAll(/<<'EOF'\n([\s\S]*)\nEOF$/g)].map((it) => it[1] as string),
    ]);
    assert.ok(configurations.length >= 2);
    for (const text of configurations) {
      const result = readConfig(text);
      assert.deepEqual('problems' in result ? result.problems : result.warnings, [], text);
    }
  });

  it('each JSON block of settings names settings that are there', () => {
    const blocks = shown.filter((it) => it.language === 'json');
    assert.ok(blocks.length > 0);
    for (const { text } of blocks)
      assert.deepEqual(
        Object.keys(JSON.parse(text) as object).filter((it) => !settings.has(it)),
        [],
      );
  });

  it('each command line of switchboard is one that the command takes', () => {
    const lines = shown
      .filter((it) => it.language === 'sh')
      .flatMap(({ text }) => text.split('\n').filter((it) => it.startsWith('switchboard ')));
    const inline = all.flatMap(([, text]) =>
      [...proseOf(text).matchAll(/`switchboard ([^`]+)`/g)].map((it) => it[0].slice(1, -1)),
    );
    assert.ok(lines.length >= 6 && inline.length >= 2);
    for (const line of [...lines, ...inline]) {
      const words = line
        .replace(/ [>|].*$/, '')
        .split(' ')
        .slice(1);
      const read = () => (isGatewayCommand(words) ? readCommand(words.slice(1)) : readCommandLine(words));
      assert.doesNotThrow(read, line);
    }
  });

  it('each flag of switchboard that a document names is one', () => {
    const foreign = ['--agent-host-bridge-port', '--agent-host-bridge-connection-token', '--acp', '--inspect'];
    const own = [...Object.keys(flags), ...Object.keys(commandFlags)].map((it) => `--${it}`);
    const known = new Set([...own, ...foreign]);
    for (const name of ['GATEWAY.md', 'HOSTS.md', 'SECURITY.md'])
      assert.deepEqual(
        [...proseOf(readDocument(name)).matchAll(/`(--[a-z-]+)/g)]
          .map((it) => it[1] as string)
          .filter((it) => !known.has(it)),
        [],
        name,
      );
  });

  it('GATEWAY.md has each command of the gateway and each exit code in a table', () => {
    const document = readDocument('GATEWAY.md');
    const named = firstColumn(document, 'command')
      .map((it) => it.split(' '))
      .map((it) => it.slice(2).join(' '));
    for (const name of commandNames)
      assert.ok(
        named.some((it) => it === name || it.startsWith(`${name} `)),
        name,
      );
    const codes = firstColumn(document, 'exit code');
    assert.deepEqual(codes.sort(), [...new Set(Object.values(exitCodes).map(String))].sort());
  });

  it('each address of GATEWAY.md is one of the table of routes', async () => {
    const known = new Set<string>((await allRoutes()).map((it) => it.path));
    const named = firstColumn(readDocument('GATEWAY.md'), 'address');
    assert.ok(named.length >= 10);
    assert.deepEqual(
      named.filter((it) => !known.has(it) && !known.has(it.replace(/\/\*\*$/, ''))),
      [],
    );
  });
});

describe('the kit of the repository', () => {
  it('has launch configurations whose tasks and files are there', () => {
    const { configurations } = json<{ configurations: { name: string; preLaunchTask?: string }[] }>(
      '.vscode/launch.json',
    );
    const { tasks } = json<{ tasks: { label: string; script: string }[] }>('.vscode/tasks.json');
    assert.deepEqual(
      tasks.filter((it) => !(it.script in manifest.scripts)),
      [],
    );
    const labels = new Set(tasks.map((it) => it.label));
    const asked = configurations.flatMap((it) => it.preLaunchTask ?? []);
    assert.deepEqual(
      asked.filter((it) => !labels.has(it)),
      [],
    );
    const named = [...readDocument('CONTRIBUTING.md').matchAll(/start(?: \(|s? )?\*\*([^*]+)\*\*/g)].map((it) => it[1]);
    assert.ok(named.length >= 2);
    assert.deepEqual(
      named.filter((it) => !configurations.some(({ name }) => name === it)),
      [],
    );
  });

  it('runs in the workflow what .ci/run runs, and has forms that are YAML', () => {
    const { jobs } = parseYaml(read('.github/workflows/ci.yml')) as { jobs: { test: { steps: { run?: string }[] } } };
    assert.ok(jobs.test.steps.some((it) => it.run === '.ci/run'));
    for (const name of readdirSync(join(projectRoot, '.github/ISSUE_TEMPLATE')))
      assert.ok(parseYaml(read(`.github/ISSUE_TEMPLATE/${name}`)), name);
  });
});
