// Numbers as people read them.

const whole = new Intl.NumberFormat("en");

export const count = (number) => whole.format(number);

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export const percent = (share) => {
  if (share > 0.995 && share < 1) return "> 99 %";
  return `${Math.round(share * 100)} %`;
};

// An estimate is never sure, unless every label was confirmed.
export const rightShare = (share) => `${percent(share === 1 ? 1 : Math.min(share, 0.99))} right`;

// What a blind sample has measured, with its 95 % interval.
export const measuredShare = (share, { low, high }) => `${percent(share)} right (${Math.round(100 * low)} to ${Math.round(100 * high)} %)`;

export const seconds = (time) => `${time < 10 ? time.toFixed(1) : Math.round(time)} s`;

export const weight = (number) => `×${Number(number.toFixed(2))}`;
