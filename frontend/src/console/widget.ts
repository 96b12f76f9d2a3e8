// The line that puts a show's box office into another site.

export function widgetLine(house: string, show: string): string {
  return `<script src="${location.origin}/widget.js" data-org="${house}" data-show="${show}"></` + 'script>';
}
