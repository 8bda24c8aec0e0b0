import { LitElement } from 'lit';

/** Draws into the page itself: one stylesheet, one tab order, names that assistive software can follow across elements. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
