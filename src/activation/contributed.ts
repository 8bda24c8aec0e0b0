/** What `package.json` contributes, as far as it is registered at activation. */
export interface Contributed {
  readonly commands: readonly string[];
  readonly trees: readonly {
    readonly id: string;
    readonly showCollapseAll: boolean;
    readonly canSelectMany: boolean;
    readonly takesFiles: boolean;
  }[];
}

interface View {
  readonly id: string;
  readonly type?: string;
  readonly showCollapseAll?: boolean;
  readonly canSelectMany?: boolean;
  readonly takesFiles?: boolean;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    /** By container. `showCollapseAll`, `canSelectMany` and `takesFiles` are ours: VS Code takes them from the code alone. */
    readonly views: Readonly<Record<string, readonly View[]>>;
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
      .map(({ id, showCollapseAll = false, canSelectMany = false, takesFiles = false }) => ({
        id,
        showCollapseAll,
        canSelectMany,
        takesFiles,
      })),
  };
}
