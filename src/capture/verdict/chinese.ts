/** Traditional Chinese characters, which the rules have in simplified form only. Pure. */

const traditional =
  "頁網訪問錯誤請後維護暫時無開關閉連檢驗證帳賬號碼權許絕攔擊務統級復該還為們過這個點購買賣戶註冊錄電腦絡訊詢轉讓獲聯導覽瀏異動區國體內報紀現場發處經濟簡單機應準備輸離線測試變確認審啟陸從當來對將進結終屬類設蓋險惡嘗採歲齡";
const simplified =
  "页网访问错误请后维护暂时无开关闭连检验证帐账号码权许绝拦击务统级复该还为们过这个点购买卖户注册录电脑络讯询转让获联导览浏异动区国体内报纪现场发处经济简单机应准备输离线测试变确认审启陆从当来对将进结终属类设盖险恶尝采岁龄";

const pairs = new Map([...traditional].map((one, index) => [one, [...simplified][index] as string]));
const anyTraditional = new RegExp(`[${traditional}]`, "g");
/** Words that differ, not only their characters. */
const words: [RegExp, string][] = [
  [/伺服器/g, "服务器"],
  [/网路/g, "网络"],
];
/** Japanese and Korean texts use some of these characters, too, but have rules of their own. */
const japaneseOrKorean = /[\u3040-\u30ff\uac00-\ud7af]/;

/** Whether to read a text with `toSimplified`. */
export function isTraditional(text: string): boolean {
  return text.search(anyTraditional) !== -1 && !japaneseOrKorean.test(text);
}

export function toSimplified(text: string): string {
  const converted = text.replace(anyTraditional, (one) => pairs.get(one) ?? one);
  return words.reduce((result, [word, other]) => result.replace(word, other), converted);
}
