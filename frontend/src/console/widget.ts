// The HTML line that embeds an event's box office in another website.

export function widgetLine(house: string, show: string): string {
  return `<script src="${location.origin}/widget.js" data-org="${house}" data-show="${show}"></` + 'script>';
}
