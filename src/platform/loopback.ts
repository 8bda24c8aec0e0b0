/** Whether a name reaches this machine and no network: what is said there in plain text, nobody else reads. @param hostname as `URL` has it */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
