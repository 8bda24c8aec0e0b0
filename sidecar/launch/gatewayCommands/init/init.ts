import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exitCodes, LaunchFailure, reasonOf } from '../../failure.ts';
import type { CommandContext, CommandResult, CommandRun } from '../command.ts';
import { writeOwnFile } from '../files.ts';
import type { AskedCommand } from '../readCommand.ts';
import { type Answers, findAnswers } from './answers.ts';
import { configText } from './configText.ts';
import { openQuestions } from './questions.ts';

const SECRET_BYTES = 32;

/** `gateway init`: a configuration, an administrator key and a sealing secret, in one folder. Nothing is replaced unasked. */
export const init: CommandRun = async (asked, context) => {
  const config = resolve(context.process.cwd(), asked.one('config') ?? 'switchboard.jsonc');
  const isThere = existsSync(config);
  if (isThere && !asked.has('force')) {
    const message = `${config} already exists. Use --force to replace it, or --config to choose another file.`;
    throw new LaunchFailure(exitCodes.badFolder, message);
  }
  const answers = await answersOf(asked, context);
  const folder = dirname(config);
  makeFolder(folder);
  writeOwnFile(config, configText(answers), { replaces: isThere });
  const random = (bytes: number) => Buffer.from(context.random(bytes));
  const made = [
    { path: join(folder, 'admin-key'), content: () => `sk-${random(SECRET_BYTES).toString('base64url')}\n` },
    { path: join(folder, 'secret'), content: () => `${random(SECRET_BYTES).toString('base64')}\n` },
  ].map(({ path, content }) => {
    const isKept = existsSync(path);
    if (!isKept) writeOwnFile(path, content());
    return { path, isKept };
  });
  return told({ config, isThere, made, answers });
};

async function answersOf(asked: AskedCommand, { process }: CommandContext): Promise<Answers> {
  if (asked.has('yes')) return findAnswers(asked, undefined);
  const questions = openQuestions(process.stdin, process.stderr);
  try {
    return await findAnswers(asked, questions);
  } finally {
    questions.close();
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw new LaunchFailure(exitCodes.badFolder, `${folder} cannot be created: ${reasonOf(thrown)}.`, thrown);
  }
}

interface Outcome {
  readonly config: string;
  /** The configuration was there before. */
  readonly isThere: boolean;
  readonly made: readonly { readonly path: string; readonly isKept: boolean }[];
  readonly answers: Answers;
}

function told({ config, isThere, made, answers }: Outcome): CommandResult {
  const [adminKey, secret] = made.map((it) => it.path);
  const { databaseFile } = answers;
  const start = [
    ...['switchboard', 'gateway', '--config', config, '--admin-key-file', adminKey, '--secret-file', secret],
    ...(databaseFile === '' ? [] : ['--database-file', databaseFile]),
  ].map((it) => quoted(it ?? ''));
  const lines = [
    `${isThere ? 'Replaced' : 'Created'} ${config}.`,
    ...made.map(({ path, isKept }) => (isKept ? `Kept ${path}, which already existed.` : `Created ${path}.`)),
    '',
    'Start the gateway with this command:',
    '',
    `  ${start.join(' ')}`,
    '',
  ];
  return {
    text: lines.join('\n'),
    data: {
      config,
      replaced: isThere,
      admin_key_file: adminKey,
      secret_file: secret,
      kept: made.filter((it) => it.isKept).map((it) => it.path),
      start: start.join(' '),
    },
  };
}

/** A word of a shell's command line. */
const quoted = (word: string) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
