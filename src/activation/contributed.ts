/** What `package.json` contributes, as far as it is registered at activation. */
export interface Contributed {
  readonly commands: readonly string[];
  readonly trees: readonly { readonly id: string; readonly showCollapseAll: boolean }[];
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    /** By container. `showCollapseAll` is ours: VS Code takes it from the code alone. */
    readonly views: Readonly<
      Record<string, readonly { readonly id: string; readonly type?: string; readonly showCollapseAll?: boolean }[]>
    >;
  };
}

/** @param packageJson our own, as VS Code read it */
export function contributedBy(packageJson: unknown): Contributed {
  const { commands, views } = (packageJson as Manifest).contributes;
  return {
    commands: commands.map((it) => it.command),
    trees: Object.values(views)
      .flat()
      .filter(({ type }) => type === undefined || type === 'tree')
      .map(({ id, showCollapseAll }) => ({ id, showCollapseAll: showCollapseAll === true })),
  };
}
