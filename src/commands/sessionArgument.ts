/** The session that a row, a notice, a notification or another command means. */
export function sessionIn(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('row' in argument) return sessionIn(argument.row);
  if ('session' in argument && typeof argument.session === 'string') return argument.session;
  if ('kind' in argument && argument.kind === 'session' && 'id' in argument && typeof argument.id === 'string') {
    return argument.id;
  }
  return undefined;
}

/** The chat of the session that a row of a sub-agent means. */
export function chatIn(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('kind' in argument) || argument.kind !== 'subAgent')
    return undefined;
  return 'id' in argument && typeof argument.id === 'string' ? argument.id : undefined;
}
