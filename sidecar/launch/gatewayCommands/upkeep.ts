import { resolve } from 'node:path';
import { exitCodes } from '../failure.ts';
import type { CheckedPart, GatewayStorage, RowCounts } from '../gateway/upkeepContract.ts';
import type { CommandContext, CommandRun } from './command.ts';
import type { AskedCommand } from './readCommand.ts';

const upkeepOf = async ({ loadGateway }: CommandContext) => (await loadGateway()).loadUpkeep();
const storageOf = (asked: AskedCommand, context: CommandContext): GatewayStorage => ({
  dataDir: context.dataDir(),
  database: asked.one('database-file'),
});

/** `gateway check`: every part with what is wrong with it. */
export const check: CommandRun = async (asked, context) => {
  const upkeep = await upkeepOf(context);
  const parts = await upkeep.check({
    ...storageOf(asked, context),
    config: asked.one('config'),
    secret: asked.one('secret-file'),
    deadline: asked.has('offline') ? undefined : context.timers.deadline,
    env: context.process.env,
  });
  return { text: parts.map(lineOf).join(''), data: { parts }, exitCode: exitCodeOf(parts) };
};

const lineOf = ({ part, state, message }: CheckedPart): string =>
  `${state.padEnd(8)}${part}: ${message.replaceAll('\n', `\n${' '.repeat(8)}`)}\n`;

/** Mistakes in the configuration come first, because the rest may follow from them. */
function exitCodeOf(parts: readonly CheckedPart[]) {
  const failed = parts.filter((it) => it.state === 'failed').map((it) => it.part);
  if (failed.length === 0) return exitCodes.ok;
  if (failed.includes('configuration') || failed.includes('certificate')) return exitCodes.badConfig;
  return failed.includes('sealing secret') ? exitCodes.badData : exitCodes.noHost;
}

export const backup: CommandRun = async (asked, context) => {
  const upkeep = await upkeepOf(context);
  const file = resolve(context.process.cwd(), asked.argument);
  const rows = await upkeep.backup(storageOf(asked, context), file, context.version, context.clock.now());
  const text = `Created ${file} with ${said(rows)}. Back up the sealing secret separately: without it, the credentials in this file cannot be read.\n`;
  return { text, data: { file, rows } };
};

export const restore: CommandRun = async (asked, context) => {
  const upkeep = await upkeepOf(context);
  const file = resolve(context.process.cwd(), asked.argument);
  const rows = await upkeep.restore(storageOf(asked, context), file);
  const text = `Restored ${said(rows)}. Start the gateway with the sealing secret that it had when the backup was written.\n`;
  return { text, data: { file, rows } };
};

export const rotateSecret: CommandRun = async (asked, context) => {
  const upkeep = await upkeepOf(context);
  const { sealed, file, kept } = await upkeep.rotateSecret({
    ...storageOf(asked, context),
    secret: asked.one('secret-file'),
    random: context.random,
    nowMs: context.clock.nowMs(),
  });
  const text = `Encrypted ${sealed} credentials with a new secret in ${file}. Copy this file to all replicas before you start them. The old secret is in ${kept}: keep it as long as the backups that were written before.\n`;
  return { text, data: { sealed, secret_file: file, old_secret_file: kept } };
};

const said = (rows: RowCounts) => `${Object.values(rows).reduce((sum, it) => sum + it, 0)} rows`;
