import type { PiiKind } from '../../../protocol/gateway/guardrails/piiRedaction.ts';
import { endOfCard } from './creditCard.ts';
import { byPattern, byReading, type Finder } from './finder.ts';
import { endOfIban } from './iban.ts';

const digitsIn = (text: string) => text.replace(/\D/g, '').length;

/** With a plus and 8 to 15 digits (E.164), however they are grouped; or as North America writes them. */
const phone =
  /(?<![\w+])\+[1-9][\d ()./-]{6,22}\d(?!\d)|(?<![\w.+-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])/g;
const isPhone = (match: string) => digitsIn(match) >= 8 && digitsIn(match) <= 15;

const email = /(?<![\p{L}\p{N}_.%+-])[\p{L}\p{N}_.%+-]{1,64}@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24}/gu;

const ipv4 = /(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/g;
const isIpv4 = (match: string) => match.split('.').every((it) => Number(it) <= 255);

/** What points to a person. Numbers with a checksum count only where it is right. */
export const piiFinders: Readonly<Record<PiiKind, Finder>> = {
  email: byPattern(email),
  phone: byPattern(phone, isPhone),
  iban: byReading(/(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g, endOfIban),
  credit_card: byReading(/(?<!\d)[2-6]/g, endOfCard),
  ipv4: byPattern(ipv4, isIpv4),
};
