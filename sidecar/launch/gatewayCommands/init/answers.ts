import { exitCodes, LaunchFailure } from '../../failure.ts';
import type { AskedCommand } from '../readCommand.ts';
import type { Questions } from './questions.ts';

/** What `init` needs to know. */
export interface Answers {
  readonly host: string;
  readonly port: number;
  /** `''`: callers use the address that the gateway listens on. */
  readonly publicUrl: string;
  /** `''`: SQLite in the data directory. */
  readonly databaseFile: string;
  readonly allowedCommands: readonly string[];
}

/** One question, its flag, and what it takes. */
interface Question {
  readonly flag: 'host' | 'port' | 'public-url' | 'database-file' | 'allow-command';
  readonly text: string;
  readonly byDefault: string;
  /** Why an answer is not taken; `undefined` where it is. */
  readonly problem: (answer: string) => string | undefined;
}

const port: Question = {
  flag: 'port',
  text: 'Port to listen on',
  byDefault: '4000',
  problem: (it) =>
    /^\d{1,5}$/.test(it) && Number(it) > 0 && Number(it) <= 65_535 ? undefined : 'must be a number from 1 to 65535',
};
const questions: readonly Question[] = [
  {
    flag: 'host',
    text: 'Address to listen on (0.0.0.0 accepts other machines)',
    byDefault: '127.0.0.1',
    problem: (it) => (/^[\w.:-]{1,253}$/.test(it) ? undefined : 'must be an IP address or a hostname'),
  },
  port,
  {
    flag: 'public-url',
    text: 'URL that callers use, if a proxy is in front of the gateway (empty: none)',
    byDefault: '',
    problem: (it) =>
      it === '' || (/^https?:$/.test(URL.parse(it)?.protocol ?? '') && !/[?#\s]/.test(it))
        ? undefined
        : 'must be a URL such as https://gateway.example.com',
  },
  {
    flag: 'database-file',
    text: 'File with the URL of a PostgreSQL database (empty: SQLite in the data directory)',
    byDefault: '',
    problem: (it) =>
      /^postgres(?:ql)?:\/\//.test(it) ? 'must be the path of a file, because the URL contains a password' : undefined,
  },
  {
    flag: 'allow-command',
    text: 'Programs that stdio servers may run, such as npx or uvx, separated by spaces (empty: none)',
    byDefault: '',
    problem: (it) => (/^[^"'\n]*$/.test(it) ? undefined : 'must not contain quotes'),
  },
];

/**
 * The answers: from flags, else from whoever answers the questions. Empty answers get the default.
 * @param asking absent: nothing is asked
 * @throws {LaunchFailure} `usage` for an answer that cannot be used
 */
export async function findAnswers(asked: AskedCommand, asking: Questions | undefined): Promise<Answers> {
  const found = new Map<Question['flag'], string>();
  for (const question of questions) found.set(question.flag, await answerTo(question, asked, asking));
  const of = (flag: Question['flag']) => found.get(flag) ?? '';
  return {
    host: of('host'),
    port: Number(of('port')),
    publicUrl: of('public-url'),
    databaseFile: of('database-file'),
    allowedCommands: of('allow-command').split(/\s+/).filter(Boolean),
  };
}

async function answerTo(
  { flag, text, byDefault, problem }: Question,
  asked: AskedCommand,
  asking: Questions | undefined,
): Promise<string> {
  const flagged = asked.all(flag).join(' ');
  const typed = flagged === '' ? await asking?.ask(`${text}${byDefault && ` [${byDefault}]`}: `) : flagged;
  const answer = typed || byDefault;
  const wrong = problem(answer);
  if (wrong !== undefined)
    throw new LaunchFailure(exitCodes.usage, `"${answer}" cannot be used for --${flag}: it ${wrong}.`);
  return answer;
}
