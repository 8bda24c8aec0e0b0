import type { LogLevel, LogOutputChannel } from 'vscode';

/**
 * The channel for the traces of the language client. A setting of a workspace could make it write whole messages, and
 * those hold the window's environment and tokens; so this one always stands at `level`, above its traces.
 */
export function untraced(log: LogOutputChannel, level: LogLevel): LogOutputChannel {
  return Object.create(log, {
    logLevel: { value: level },
    onDidChangeLogLevel: { value: () => ({ dispose: () => undefined }) },
  }) as LogOutputChannel;
}
