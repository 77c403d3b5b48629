/**
 * How much one tenant may have the super cluster read for it: much at once, then so many claims a second. Rests and pauses
 * bound each claim, but not how many of them a tenant has change at once. The pattern is client-go's util/flowcontrol: a
 * token bucket whose tokens are reserved in the order of the requests.
 */

/**
 * Claims a second in the long run: what a kubelet is granted (kubernetes pkg/kubelet/apis/config/v1beta1/defaults.go,
 * KubeAPIQPS), so that a tenant costs the super cluster no more than one of its nodes may. Ten thousand claims more than the
 * burst take three minutes.
 */
const RATE = 50;
/** Claims at once, however few the tenant has: they may change some hundred times before anything waits. */
const LEAST_BURST = 2_000;
/** Milliseconds. */
const EACH = 1_000 / RATE;

export class Budget {
  /** When all of it is there again, unless more is taken. Monotonic milliseconds. */
  #whole = 0;

  /**
   * Takes what one claim costs. It has been taken even where it has to be waited for.
   * @param claims of the tenant: an honest outage concerns all of them, and each is answered once without a pause
   * @param now monotonic milliseconds
   * @returns milliseconds until it may be spent; 0: now
   */
  take(claims: number, now: number): number {
    this.#whole = Math.max(this.#whole, now) + EACH;
    return Math.max(0, this.#whole - now - Math.max(LEAST_BURST, claims) * EACH);
  }
}
