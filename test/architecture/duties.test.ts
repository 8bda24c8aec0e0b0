import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { findInCode } from '../support/sources.ts';

/** What writes files: VS Code's file system and edits, and Node's. */
const writers =
  /^(writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|rm|rmSync|rmdir|unlink|unlinkSync|truncate|rename|renameSync|copy|cp|cpSync|copyFile|copyFileSync|mkdir|mkdirSync|createDirectory|delete|applyEdit|openSync|symlink|chmod)$/;
const fileSystems = /(^|\.)(workspace\.fs|fs|fsPromises|promises)$/;
const writingModules = /^(node:)?fs(\/promises)?$/;
/** Words of a decision that belongs to the host: see `sidecar/host/permissions`. */
const deciding =
  /^(decide[A-Z]\w*|judge(Tool|Request|Command)\w*|auto(Approve|Allow|Deny|Confirm)\w*|isDestructive\w*|matches?Rules?|isInsideWorkspace)$/;

function write(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText().endsWith('WorkspaceEdit')) return 'WorkspaceEdit';
  if (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    writingModules.test(node.moduleSpecifier.text)
  ) {
    const names = node.importClause?.namedBindings;
    if (!names || ts.isNamespaceImport(names)) return 'the whole of node:fs';
    const bad = names.elements.map((it) => (it.propertyName ?? it.name).text).filter((it) => writers.test(it));
    return bad.length > 0 ? bad.join(', ') : undefined;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  if (name.text === 'applyEdit') return 'applyEdit';
  return writers.test(name.text) && fileSystems.test(expression.getText())
    ? `${expression.getText()}.${name.text}`
    : undefined;
}

function decision(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) && node.moduleSpecifier.getText().includes('host/permissions'))
    return 'imports host/permissions';
  const named = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isVariableDeclaration(node);
  const name = named && node.name ? node.name.getText() : undefined;
  return name !== undefined && deciding.test(name) ? name : undefined;
}

/** Timers of the machine. Whoever only stops one has started it. */
const timerGlobals = /^(set|clear)(Timeout|Interval|Immediate)$/;
const chance = /^(randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)$/;
const wholeModules = /^(node:)?(timers|timers\/promises|perf_hooks|child_process|worker_threads)$/;
/** Files whose subject is one process or thread that nothing else starts: each with the reason. */
const machineryElsewhere: ReadonlySet<string> = new Set([
  'sidecar/launch/attach/launcher.ts', // starts the host, so that it is nobody's child
  'sidecar/launch/attach/startHost.ts', // starts the launcher
  'sidecar/host/changes/git/git.ts', // runs git, which is given no leash: it ends by itself
  'sidecar/agents/coder/tools/searchThread.ts', // the thread of a search, which is stopped if it takes too long
  'sidecar/host/storage/checkpointer.ts', // the thread that writes the log of the host's database back
  'sidecar/host/storage/search/searchThread.ts', // the thread of the index of transcripts
  'sidecar/host/storage/search/searchWorker.ts', // what runs in it
  'sidecar/platform/sandbox/sandboxOwner.ts', // runs one program in the sandbox, to see whether one can start
  'sidecar/gateway/storage/database/sqliteThread.ts', // the threads of the gateway's database
]);

function machinery(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const module = node.moduleSpecifier.text;
    const isOfTypes = node.importClause?.isTypeOnly === true;
    if (!isOfTypes && wholeModules.test(module)) return module;
    const names = node.importClause?.namedBindings;
    if (!/^(node:)?crypto$/.test(module) || !names || !ts.isNamedImports(names)) return undefined;
    return names.elements.map((it) => (it.propertyName ?? it.name).text).find((it) => chance.test(it));
  }
  if (ts.isPropertyAccessExpression(node)) {
    const { expression, name } = node;
    const owner = expression.getText().replace(/^globalThis\./, '');
    if (owner === 'AbortSignal' && name.text === 'timeout') return 'AbortSignal.timeout';
    if (owner === 'performance' || (owner === 'process' && name.text === 'hrtime')) return `${owner}.${name.text}`;
    if (owner === 'crypto' && chance.test(name.text)) return `crypto.${name.text}`;
    return owner === 'globalThis' && timerGlobals.test(name.text) ? name.text : undefined;
  }
  if (!ts.isIdentifier(node) || !timerGlobals.test(node.text)) return undefined;
  const { parent } = node;
  const isName = 'name' in parent && parent.name === node;
  return isName || ts.isImportSpecifier(parent) || ts.isBindingElement(parent) ? undefined : node.text;
}

/** Each raw way by an example, and the name by which it is refused. */
const rawMachinery: readonly (readonly [string, string])[] = [
  ['setTimeout(work, 1)', 'setTimeout'],
  ['setInterval(work, 1)', 'setInterval'],
  ['const later = setImmediate', 'setImmediate'],
  ['clearTimeout(timer)', 'clearTimeout'],
  ['globalThis.setTimeout(work, 1)', 'setTimeout'],
  ['AbortSignal.timeout(1)', 'AbortSignal.timeout'],
  ['performance.now()', 'performance.now'],
  ['process.hrtime.bigint()', 'process.hrtime'],
  ['crypto.randomUUID()', 'crypto.randomUUID'],
  ["import { randomUUID } from 'node:crypto'", 'randomUUID'],
  ["import { createHash, randomBytes as some } from 'node:crypto'", 'randomBytes'],
  ["import { setTimeout as wait } from 'node:timers/promises'", 'node:timers/promises'],
  ["import { spawn } from 'node:child_process'", 'node:child_process'],
  ["import { Worker } from 'node:worker_threads'", 'node:worker_threads'],
];

describe('who decides', () => {
  const promise = 'src and media: 0 writes to workspace files, 0 permission decisions';

  it(promise, () => {
    const writes = findInCode(['src', 'media'], write);
    const decisions = findInCode(['src', 'media'], decision);
    const found = `src and media: ${writes.length} writes to workspace files, ${decisions.length} permission decisions`;
    assert.equal(found, promise, [...writes, ...decisions].join('\n'));
  });

  it('the answer to a permission request is made in one place, from the option that a person chose', () => {
    const makers = findInCode(['src', 'media'], (node, path) =>
      ts.isPropertyAssignment(node) && /^'chat\/toolCall(Result)?Confirmed'$/.test(node.initializer.getText())
        ? path
        : undefined,
    );
    assert.deepEqual([...new Set(makers.map((it) => it.split(' ')[1]))], ['src/client/confirmations.ts']);
  });

  it('state is written by the store alone: nobody else calls a reducer in the host', () => {
    const calls = findInCode(['sidecar/host', 'sidecar/agents'], (node, path) => {
      if (path.startsWith('sidecar/host/state/') || path.startsWith('sidecar/host/storage/')) return undefined;
      const called = ts.isCallExpression(node) ? node.expression.getText() : '';
      return /(^|\.)reduce(Session|Chat|Root|Changeset)?$/.test(called) && !called.endsWith('.reduce')
        ? called
        : undefined;
    });
    assert.deepEqual(calls, []);
  });
});

describe('clock and chance', () => {
  const impure = (node: ts.Node): string | undefined => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
      return 'new Date()';
    if (!ts.isCallExpression(node)) return undefined;
    const called = node.expression.getText();
    return ['Date', 'Date.now', 'Math.random'].includes(called) ? `${called}()` : undefined;
  };

  it('the wall clock and chance are read in sidecar/platform, src/platform and the clock of the pages only', () => {
    const found = findInCode(['src', 'sidecar', 'media'], (node, path) =>
      /^((src|sidecar)\/platform\/|media\/shared\/clock\.ts$)/.test(path) ? undefined : impure(node),
    );
    assert.deepEqual(found, []);
  });

  it('the sidecar takes timers, deadlines, ids, random bytes, processes and threads from its platform alone', () => {
    const found = findInCode(['sidecar'], (node, path) =>
      path.startsWith('sidecar/platform/') || machineryElsewhere.has(path) ? undefined : machinery(node),
    );
    assert.deepEqual(found, [], 'take it from the Runtime that is handed in (sidecar/platform/runtime.ts)');
  });

  it('every way to start a timer, or to get an id or a random byte, is known to be one', () => {
    const said = (text: string) => {
      const found = new Set<string>();
      const visit = (node: ts.Node): void => {
        const name = machinery(node);
        if (name !== undefined) found.add(name);
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
      return [...found];
    };
    for (const [text, name] of rawMachinery) assert.deepEqual(said(text), [name], text);
    const fine = `timers.wait(1); const { setTimeout: s } = socket; socket.setTimeout(1); deps.random(2); import { createHash } from 'node:crypto';`;
    assert.deepEqual(said(fine), []);
  });
});

describe('the tests of the editor', () => {
  /** Its subject is where the focus is, which it looks at before each key. */
  const keyboardAlone = 'test/vscode/keyboard.test.ts';
  /** What acts on whatever has the focus, or is under the mouse, at that moment. */
  const once = (node: ts.Node): string | undefined => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const { expression, name } = node.expression;
    const on = expression.getText();
    if (on.endsWith('quickInput')) return undefined; // a page object
    if (name.text === 'click' && node.arguments.length > 0) return undefined; // where it has limits, it is tried again
    const isKey = /(^|\.)keyboard$/.test(on) && /^(type|insertText)$/.test(name.text);
    return isKey || /^(click|fill|check|press|pressSequentially)$/.test(name.text) ? `.${name.text}()` : undefined;
  };

  it('click, write, and press keys through the page objects, which see whether it was taken', () => {
    const found = findInCode(['test/vscode'], (node, path) =>
      path.endsWith('.test.ts') && path !== keyboardAlone ? once(node) : undefined,
    );
    assert.deepEqual(found, [], 'use test/vscode/driver/press.ts and test/vscode/driver/keys.ts');
  });
});
