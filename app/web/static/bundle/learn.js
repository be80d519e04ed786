import{a as e}from"./chunk-MXDM52B4.js";import"./chunk-ZXUWJKPO.js";import"./chunk-HOQCTQEQ.js";import"./chunk-ILIUVROU.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
