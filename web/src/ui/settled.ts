/** A value as it is once it hasn't changed for a moment. */

import { useEffect, useState } from "react";

export function useSettled<Value>(value: Value, afterMs = 300): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
