type Method = (...asked: never) => Promise<unknown>;
type NameOfMethod<Part> = { [Name in keyof Part]: Part[Name] extends Method ? Name : never }[keyof Part];

/** A part of the program that is loaded when it is first used, so that a process starts without it. */
export class OnUse<Part extends object> {
  readonly #load: () => Promise<Part>;
  #opening: Promise<Part> | undefined;
  #opened: Part | undefined;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** `undefined` until it is loaded. */
  get opened(): Part | undefined {
    return this.#opened;
  }

  /** What loads, or is loaded; `undefined` if nobody needed it yet. */
  get opening(): Promise<Part> | undefined {
    return this.#opening;
  }

  /** @throws why it cannot be loaded; whoever needs it next tries again */
  open(): Promise<Part> {
    this.#opening ??= this.#load().then(
      (part) => (this.#opened = part),
      (thrown: unknown) => {
        this.#opening = undefined;
        throw thrown;
      },
    );
    return this.#opening;
  }

  /** Uses the part: immediately if it is loaded. @throws as {@link open}, and as `how` */
  use<Result>(how: (part: Part) => Promise<Result>): Promise<Result>;
  use<Result>(how: (part: Part) => Result | Promise<Result>): Result | Promise<Result>;
  use<Result>(how: (part: Part) => Result | Promise<Result>): Result | Promise<Result> {
    return this.#opened ? how(this.#opened) : this.open().then(how);
  }

  /** Some methods of the part, which load it if it is not there yet. @throws as {@link open}, and as the method */
  methods<Name extends NameOfMethod<Part>>(...names: readonly Name[]): Pick<Part, Name> {
    const ask =
      (name: Name) =>
      (...asked: never) =>
        this.use((part) => (part[name] as Method)(...asked));
    return Object.fromEntries(names.map((name) => [name, ask(name)])) as Pick<Part, Name>;
  }
}
