/**
 * The hostnames that this gateway answers to, against pages that point a name of theirs at this machine
 * (`security.dns-rebinding`).
 */
export interface AddressGuard {
  /** `undefined` where the request may be served, else what is wrong with it. */
  check(request: { readonly host: readonly string[]; readonly origin: readonly string[] }): string | undefined;
}

export interface AddressGuardOptions {
  /** Hosts with their ports, as `127.0.0.1:4000`. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call, beside those of `hosts`. */
  readonly origins: readonly string[];
}

/** Exact comparison, ports included; `null`, doubled and foreign ones are refused. */
export function openAddressGuard({ hosts, origins }: AddressGuardOptions): AddressGuard {
  const known = new Set(hosts.map((it) => it.toLowerCase()));
  const pages = new Set([
    ...origins.map((it) => it.toLowerCase()),
    ...[...known].flatMap((it) => [`http://${it}`, `https://${it}`]),
  ]);
  return {
    check({ host, origin }) {
      if (host.length !== 1 || !known.has((host[0] ?? '').toLowerCase())) return 'Host';
      if (origin.length === 0) return undefined;
      return origin.length === 1 && pages.has((origin[0] ?? '').toLowerCase()) ? undefined : 'Origin';
    },
  };
}
