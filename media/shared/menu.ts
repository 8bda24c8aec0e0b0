export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Set for one of several choices; left out for an action. */
  readonly isChecked?: boolean;
  /** Asked for again with this label before it counts. */
  readonly confirm?: string;
  readonly icon?: string;
  /** Items in a group are shown below the group's name. */
  readonly group?: string;
  /** A second action, at the end of the row. Arrow Right moves the focus to it. */
  readonly side?: { readonly icon: string; readonly label: string; act(): void };
  /** Shown, and not to be chosen. */
  readonly isLocked?: boolean;
}

let closeOpenMenu: (() => void) | undefined;

/** Opens a menu at `anchor`. Arrows, Home, End and letters move, Enter picks, Escape gives the focus back. */
export function openMenu(
  anchor: HTMLElement,
  label: string,
  items: readonly MenuItem[],
  pick: (id: string) => void,
): void {
  closeOpenMenu?.();
  const menu = document.createElement('div');
  menu.className = 'menu';
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', label);
  const close = (giveBack: boolean) => {
    menu.remove();
    anchor.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', onOutside, true);
    window.removeEventListener('blur', onBlur);
    closeOpenMenu = undefined;
    if (giveBack) anchor.focus();
  };
  const onOutside = (event: Event) => {
    if (!menu.contains(event.target as Node)) close(false);
  };
  const onBlur = () => close(false);
  closeOpenMenu = () => close(false);

  const buttons = items.map((item) => {
    const button = menuButton(item);
    button.addEventListener('click', () => {
      if (item.isLocked) return;
      if (item.confirm && button.dataset['armed'] !== 'true') {
        button.dataset['armed'] = 'true';
        button.querySelector('.menu-label')!.textContent = item.confirm;
        return;
      }
      close(true);
      pick(item.id);
    });
    return button;
  });
  menu.append(
    ...items.flatMap((item, at) => [...heading(item, items[at - 1]), row(item, buttons[at]!, () => close(true))]),
  );
  menu.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const side = sideOf(event);
    if (side) {
      side.focus();
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && at < 0) return;
    const to = nextIndex(event.key, at, buttons);
    if (event.key === 'Escape' || event.key === 'Tab') close(true);
    else if (to === undefined) return;
    else buttons[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  // Inside the page's landmark, where readers of screens look for content.
  (anchor.closest('dialog, main') ?? document.body).append(menu);
  place(menu, anchor);
  anchor.setAttribute('aria-expanded', 'true');
  (buttons.find((it) => it.getAttribute('aria-checked') === 'true') ?? buttons[0])?.focus();
  document.addEventListener('pointerdown', onOutside, true);
  window.addEventListener('blur', onBlur);
}

function heading({ group }: MenuItem, before: MenuItem | undefined): HTMLElement[] {
  if (group === undefined || group === before?.group) return [];
  const element = document.createElement('div');
  element.className = 'menu-group';
  element.setAttribute('role', 'presentation');
  element.textContent = group;
  return [element];
}

/** A button, with the button for its second action beside it. */
function row({ side }: MenuItem, button: HTMLElement, close: () => void): HTMLElement {
  if (!side) return button;
  const act = document.createElement('button');
  act.type = 'button';
  act.tabIndex = -1;
  act.className = `icon-button codicon codicon-${side.icon}`;
  act.setAttribute('role', 'menuitem');
  act.setAttribute('aria-label', side.label);
  act.title = side.label;
  act.addEventListener('click', () => {
    close();
    side.act();
  });
  const both = document.createElement('div');
  both.className = 'menu-row';
  both.setAttribute('role', 'presentation');
  both.append(button, act);
  return both;
}

/** The other button of the row that has the focus, where the arrow points there. */
function sideOf({ key, target }: KeyboardEvent): HTMLElement | undefined {
  const [button, act] = [...((target as HTMLElement).closest('.menu-row')?.children ?? [])] as HTMLElement[];
  if (key === 'ArrowRight' && target === button) return act;
  return key === 'ArrowLeft' && target === act ? button : undefined;
}

function menuButton(item: MenuItem): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.tabIndex = -1;
  button.className = 'menu-item';
  button.setAttribute('role', item.isChecked === undefined ? 'menuitem' : 'menuitemradio');
  if (item.isChecked !== undefined) button.setAttribute('aria-checked', String(item.isChecked));
  if (item.isLocked) button.setAttribute('aria-disabled', 'true');
  const mark = document.createElement('span');
  mark.className = `codicon codicon-${item.isChecked ? 'check' : item.isLocked ? 'lock' : (item.icon ?? 'blank')}`;
  mark.setAttribute('aria-hidden', 'true');
  const words = document.createElement('span');
  words.className = 'menu-words';
  const label = document.createElement('span');
  label.className = 'menu-label';
  label.textContent = item.label;
  words.append(label);
  if (item.description) {
    const description = document.createElement('span');
    description.className = 'menu-description';
    description.textContent = item.description;
    words.append(description);
  }
  button.append(mark, words);
  return button;
}

function nextIndex(key: string, at: number, buttons: readonly HTMLButtonElement[]): number | undefined {
  const count = buttons.length;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  const letter = key.toLowerCase();
  for (let step = 1; step <= count; step++) {
    const index = (at + step) % count;
    if (buttons[index]?.querySelector('.menu-label')?.textContent?.toLowerCase().startsWith(letter)) return index;
  }
  return undefined;
}

function place(menu: HTMLElement, anchor: HTMLElement): void {
  const box = anchor.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const left = Math.max(4, Math.min(box.left, window.innerWidth - size.width - 4));
  const isAbove = box.bottom + size.height + 8 > window.innerHeight && box.top > size.height;
  menu.style.left = `${left}px`;
  menu.style.top = `${isAbove ? box.top - size.height - 4 : Math.min(box.bottom + 4, Math.max(4, window.innerHeight - size.height - 4))}px`;
}
