/** The sandbox never reads what a program sends over TLS, so it needs no certificates, and not the library that makes them. */
export const noTlsTermination = {
  name: 'no-tls-termination',
  setup(build) {
    const unused = [
      'createMitmCA',
      'disposeMitmCA',
      'disposeMitmCASync',
      'generateCa',
      'certThumbprint',
      'validateCaPair',
    ];
    build.onLoad({ filter: /sandbox-runtime[\\/]dist[\\/]sandbox[\\/]mitm-(ca|leaf)\.js$/ }, () => ({
      contents: `const leftOut = () => { throw new Error('The sandbox cannot terminate TLS.'); };
export { ${[...unused, 'secureContextFor'].map((it) => `leftOut as ${it}`).join(', ')} };
export const CRL_PATH = '/';`,
    }));
  },
};
