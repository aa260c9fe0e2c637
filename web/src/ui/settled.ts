/** A value as it is once it hasn't changed for a moment. */

import { useEffect, useState } from "react";

const afterMs = 300;

export function useSettled<Value>(value: Value): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), afterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
