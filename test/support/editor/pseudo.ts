/** The text 40 % longer and in brackets, with its placeholders: what is cut or was never translated shows. */
export function pseudo(text: string): string {
  return `[${text}${'~'.repeat(Math.ceil(text.length * 0.4))}]`;
}
