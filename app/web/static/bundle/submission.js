import{a as e}from"./chunk-VXX3OQB4.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
