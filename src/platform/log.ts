import * as vscode from 'vscode';

/** The one output channel of the extension. Takes no secrets: callers hand over method names and states, never params. */
export function openLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Switchboard', { log: true });
}
