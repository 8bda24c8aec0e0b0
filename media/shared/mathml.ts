import temml from 'temml';

/** Its types leave out what its module has. */
const { ParseError } = temml as unknown as { readonly ParseError: new () => object };

/** @returns MathML, which the browser draws by itself, or `undefined` for what is no formula */
export function toMathml(tex: string, isBlock: boolean): string | undefined {
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: isBlock,
      throwOnError: true,
      // Formulas come from agents: they link nowhere, load nothing, and define nothing without end.
      trust: false,
      maxExpand: 200,
      maxSize: [50, 50],
    });
    // The page's policy forbids them, and says so of each. Quotes in texts are escaped: this is in tags only.
    return mathml.replace(/ style="[^"]*"/g, '');
  } catch (thrown) {
    if (thrown instanceof ParseError) return undefined;
    throw thrown;
  }
}
