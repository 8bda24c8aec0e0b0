/** The wall clock, as RFC 3339 in UTC. Handed in wherever a test must be able to stop it. */
export function now(): string {
  return new Date().toISOString();
}
